import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { formatSize } from '~/components/file_manager/format_size'
import type { BackupPage, BackupRow } from './types'
import { restoreTestLabel, durationLabel } from './labels'

const columns: Column<BackupRow>[] = [
  {
    label: 'Type',
    sort: 'kind',
    width: '130px',
    phone: 'title',
    cell: ({ label }) => <span title={label}>{label}</span>,
  },
  {
    label: 'Started',
    sort: 'begun',
    width: '170px',
    phone: 'second',
    cell: ({ started_at: at }) => <DateText value={at} shape="moment" />,
  },
  {
    label: 'Covers data until',
    width: '170px',
    phone: 'hidden',
    cell: ({ at }) => <DateText value={at} shape="moment" />,
  },
  {
    label: 'Duration',
    sort: 'took',
    width: '90px',
    align: 'right',
    phone: 'hidden',
    cell: ({ took_ms: took }) => (took === null ? '-' : durationLabel(took)),
  },
  {
    label: 'Data read',
    sort: 'bytes',
    width: '90px',
    align: 'right',
    phone: 'hidden',
    cell: ({ bytes }) => (bytes === null ? '-' : formatSize(bytes)),
  },
  {
    label: 'Data added',
    sort: 'added',
    width: '96px',
    align: 'right',
    phone: 'hidden',
    cell: ({ added }) => (added === null ? '-' : formatSize(added)),
  },
  {
    label: 'Result',
    sort: 'status',
    width: '104px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    label: 'Notes',
    phone: 'hidden',
    cell: ({ error, note, share, facts }) => {
      if (error) return <span title={error}>{error}</span>
      if (facts) return <span title={restoreTestLabel(facts)}>{restoreTestLabel(facts)}</span>
      if (!note) return '-'
      return share === null ? note : `${note}, ${Math.floor(share * 100)} %`
    },
  },
]

export function BackupList({ page }: { page: BackupPage }) {
  return (
    <List
      path="/admin/backup"
      name="backup"
      label="Backups"
      answer={{ ...page, rows: page.backups, statuses: page.backupStatus }}
      props={[
        'backups',
        'backupStatus',
        'plan',
        'last',
        'drill',
        'trouble',
        'mayRun',
        'mayDrill',
        'work',
      ]}
      live={['backup']}
      rowKey={({ id }) => id}
      all="All"
      searchLabel="Search by type, instance or error"
      columns={columns}
      empty={{
        title: 'No backups yet',
        hint: 'Set the backup target. The first backup then starts automatically.',
      }}
    />
  )
}
