import { UntypedLink } from '~/components/link'
import { Table, type Column } from '~/components/list/table'
import type { DashboardSection, DashboardSectionRow } from '#core/contracts/menu_and_dashboard'
import { StatusBadge } from '@ui/status_badge'
import styles from './dashboard.module.css'

/** A note that is a URL becomes an external link. */
function NoteText({ note }: { note: string | null }) {
  if (!note) return '-'
  if (!/^https?:/.test(note)) return <span title={note}>{note}</span>
  return (
    <a href={note} target="_blank" rel="noreferrer" title={note}>
      {note}
    </a>
  )
}

const columns: Column<DashboardSectionRow>[] = [
  {
    label: 'Name',
    phone: 'title',
    cell: ({ name, href }) => (
      <UntypedLink href={href} title={name}>
        {name}
      </UntypedLink>
    ),
  },
  { label: 'Details', phone: 'second', width: '40%', cell: ({ note }) => <NoteText note={note} /> },
  {
    label: 'Status',
    phone: 'aside',
    width: '132px',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
]

export function ResourceOverview({ parts }: { parts: DashboardSection[] }) {
  return (
    <div className={styles.parts}>
      {parts.map(({ label, href, rows }) => (
        <section key={label} aria-label={label}>
          <div className={styles.head}>
            <h2>{label}</h2>
            <UntypedLink href={href} aria-label={`All ${label}`}>
              All
            </UntypedLink>
          </div>
          <Table
            label={label}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.href}
            rowHref={(row) => row.href}
          />
        </section>
      ))}
    </div>
  )
}
