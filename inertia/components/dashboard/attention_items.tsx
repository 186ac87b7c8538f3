import { usePage } from '@inertiajs/react'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import type { AttentionItem as Need } from '#core/contracts/menu_and_dashboard'
import type { SharedProps } from '~/types'
import { postVisit } from '~/visit'
import styles from './dashboard.module.css'

/** Minimum time between reloads, because operations change the data all the time. */
const MIN_RELOAD_INTERVAL_MS = 10_000

interface AttentionItemsProps {
  /** Menu counts first, then alerts, then failed operations. */
  needs: Need[]
  /** Total number of failed operations. The page lists only some of them. */
  failures: number
  readAt: string
}

export function AttentionItems({ needs, failures, readAt }: AttentionItemsProps) {
  useLiveProps(['alert', 'operation', 'bill', 'host_instance'], ['needs', 'failures', 'readAt'], {
    rest: MIN_RELOAD_INTERVAL_MS,
  })
  const { unavailable } = usePage<SharedProps>().props
  return (
    <section aria-labelledby="needs-you" className={styles.needs}>
      <h2 id="needs-you">Needs your attention</h2>
      {needs.length === 0 ? (
        <p className={styles.none}>All clear</p>
      ) : (
        <ul>
          {needs.map(({ title, detail, href, tone }) => (
            <li key={`${href} ${title}`} data-tone={tone}>
              <Link href={href}>
                <strong>{title}</strong>
                {detail && <small>{detail}</small>}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {failures > 0 && (
        <ButtonWithDisabledReason
          variant="default"
          size="xs"
          mt="sm"
          reason={unavailable?.['work.decide']}
          onClick={() => postVisit('/admin/operations/dismiss', { until: readAt })}
        >
          {`Dismiss ${failures} failed ${failures === 1 ? 'operation' : 'operations'}`}
        </ButtonWithDisabledReason>
      )}
    </section>
  )
}
