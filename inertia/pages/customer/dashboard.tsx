import { Head, usePage } from '@inertiajs/react'
import { SentLink } from '~/components/link'
import type { DashboardCount } from '#core/contracts/menu'
import { bytes as inWords } from '~/components/metrics/units'
import type { Props } from '~/types'
import { PageHeader } from '@ui/page_header'
import styles from './dashboard.module.css'

/** Product, "Lists and pages": four counts. */
export default function Dashboard({ counts }: { counts: DashboardCount[] }) {
  const { user } = usePage<Props>().props
  return (
    <>
      <Head title="Dashboard" />
      <PageHeader title="Dashboard" hint={user ? `What you run, ${user.name}.` : undefined} />
      <ul className={styles.counts}>
        {counts.map(({ label, count, href, bytes }) => (
          <li key={href}>
            <SentLink href={href}>
              <span className={styles.label}>{label}</span>
              <span className={styles.number}>{count}</span>
              {bytes !== null && count > 0 && (
                <span className={styles.label}>{inWords(bytes)} in all</span>
              )}
            </SentLink>
          </li>
        ))}
      </ul>
    </>
  )
}
