import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { MIN_RELOAD_INTERVAL_MS, severityTone } from './status_tones'
import type { AlertEntry, AlertsPage } from './types'

const columns: Column<AlertEntry>[] = [
  {
    label: 'Alert',
    sort: 'label',
    width: '22%',
    phone: 'title',
    cell: ({ label, name }) => (
      <TwoLineCell second={name}>
        <span title={label}>{label}</span>
      </TwoLineCell>
    ),
  },
  {
    label: 'Severity',
    sort: 'severity',
    width: '110px',
    phone: 'hidden',
    cell: ({ severity }) => <StatusBadge status={severity} tone={severityTone(severity)} />,
  },
  {
    label: 'Status',
    width: '110px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    label: 'Started',
    sort: 'began',
    width: '175px',
    phone: 'hidden',
    cell: ({ began_at: at }) => <DateText value={at} shape="moment" />,
  },
  {
    label: 'Ended',
    sort: 'ended',
    width: '175px',
    phone: 'hidden',
    cell: ({ ended_at: at }) => (at ? <DateText value={at} shape="moment" /> : '-'),
  },
  { label: 'Problem', phone: 'second', cell: ({ words }) => words },
]

export function AlertList({ page }: { page: AlertsPage }) {
  return (
    <List
      path="/admin/system"
      query={{ tab: 'alerts' }}
      name="alert"
      live={['alert']}
      rest={MIN_RELOAD_INTERVAL_MS}
      answer={page}
      label="Alerts"
      all="All Alerts"
      searchLabel="Search by alert name or message"
      columns={columns}
      rowKey={({ id }) => id}
      empty={{ title: 'No alerts so far', hint: 'Alerts are kept for one year.' }}
    />
  )
}
