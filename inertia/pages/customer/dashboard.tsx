import { Head, usePage } from '@inertiajs/react'
import { Link } from '~/components/link'
import type { DashboardCount } from '#core/contracts/menu'
import type { Props } from '~/types'
import { PageHeader } from '@ui/page_header'
import styles from './dashboard.module.css'

interface DashboardProps {
  counts: DashboardCount[]
}

/** Product, "Lists and pages": four counts. */
export default function Dashboard({ counts }: DashboardProps) {
  const { user } = usePage<Props>().props
  return (
    <>
      <Head title="Dashboard" />
      <PageHeader title="Dashboard" hint={user ? `What you run, ${user.name}.` : undefined} />
      <ul className={styles.counts}>
        {counts.map(({ label, count, href }) => (
          <li key={href}>
            <Link href={href}>
              <span className={styles.label}>{label}</span>
              <span className={styles.number}>{count}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
