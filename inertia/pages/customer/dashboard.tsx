import { Head, usePage } from '@inertiajs/react'
import { Link } from '~/components/link'
import type { Props } from '~/types'
import { PageHeader } from '@ui/page_header'
import styles from './dashboard.module.css'

interface DashboardProps {
  counts: { servers: number; projects: number; emails: number; vaults: number }
}

/** Product, "Lists and pages": four counts. */
export default function Dashboard({ counts }: DashboardProps) {
  const { user } = usePage<Props>().props
  const shown = [
    { label: 'Total Servers', count: counts.servers, href: '/server-instance/list' },
    { label: 'Total Projects', count: counts.projects, href: '/project/list' },
    { label: 'Total Emails', count: counts.emails, href: '/email/list' },
    { label: 'Total Vaults', count: counts.vaults, href: '/vault/list' },
  ] as const
  return (
    <>
      <Head title="Dashboard" />
      <PageHeader title="Dashboard" hint={user ? `What you run, ${user.name}.` : undefined} />
      <ul className={styles.counts}>
        {shown.map(({ label, count, href }) => (
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
