import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import type { AttentionItem as Need } from '#core/contracts/menu_and_dashboard'
import styles from './dashboard.module.css'

/** Parts of the data change all the time. */
const MIN_RELOAD_INTERVAL_MS = 10_000

/** Most urgent first. */
export function AttentionItems({ needs }: { needs: Need[] }) {
  useLiveProps(['alert', 'operation', 'bill', 'host_instance'], ['needs'], {
    rest: MIN_RELOAD_INTERVAL_MS,
  })
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
    </section>
  )
}
