import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { MIN_RELOAD_INTERVAL_MS } from './status_tones'
import type { ScheduleRow, SchedulesPage } from './types'

const columns: Column<ScheduleRow>[] = [
  {
    label: 'Schedule',
    sort: 'label',
    width: '34%',
    phone: 'title',
    cell: ({ name, label }) => (
      <TwoLineCell second={name}>
        <span title={label}>{label}</span>
      </TwoLineCell>
    ),
  },
  {
    label: 'Interval',
    sort: 'every',
    width: '90px',
    align: 'right',
    phone: 'hidden',
    cell: ({ every }) => formatInterval(every),
  },
  {
    label: 'Last run',
    sort: 'last',
    width: '180px',
    phone: 'second',
    cell: ({ started_at: at }) => (at ? <DateText value={at} shape="moment" /> : '-'),
  },
  {
    label: 'Duration',
    sort: 'took',
    width: '100px',
    align: 'right',
    phone: 'hidden',
    cell: ({ took_ms: took }) => (took === null ? '-' : `${took.toLocaleString('en-US')} ms`),
  },
  {
    label: 'Result',
    sort: 'status',
    width: '110px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    label: 'Error',
    phone: 'hidden',
    cell: ({ error, failures }) => {
      if (!error) return '-'
      return failures > 1 ? `Failed ${failures} times in a row: ${error}` : error
    },
  },
]

export function ScheduleList({ page }: { page: SchedulesPage }) {
  return (
    <List
      path="/admin/system"
      query={{ tab: 'schedules' }}
      name="schedule"
      live={['schedule']}
      rest={MIN_RELOAD_INTERVAL_MS}
      answer={page}
      label="Schedules"
      all="All Schedules"
      searchLabel="Search by title, name or error"
      columns={columns}
      rowKey={({ name }) => name}
      empty={{ title: 'No scheduled jobs yet' }}
    />
  )
}

function formatInterval(seconds: number) {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
