import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { Table, type Column } from '~/components/list/table'
import { formatBytes } from '~/components/metrics/format_units'
import { TwoLineCell } from '~/components/list/two_line_cell'
import type { ProcessRow } from './types'

const stateLabels = { ready: 'Ready', busy: 'Not ready', away: 'Missing' }

const columns: Column<ProcessRow>[] = [
  {
    label: 'Process',
    phone: 'title',
    width: '26%',
    cell: ({ role, machine, pid }) => (
      <TwoLineCell second={`${machine}, process ${pid}`}>
        <span>{role}</span>
      </TwoLineCell>
    ),
  },
  {
    label: 'Status',
    phone: 'aside',
    width: '130px',
    cell: ({ status }) => <StatusBadge status={status} label={stateLabels[status]} />,
  },
  { label: 'Version', phone: 'hidden', width: '110px', cell: ({ version }) => version },
  {
    label: 'Running since',
    phone: 'second',
    cell: ({ started_at: at }) => <DateText value={at} shape="moment" />,
  },
  {
    label: 'Memory',
    phone: 'hidden',
    width: '110px',
    align: 'right',
    cell: ({ memory }) => formatBytes(memory),
  },
  {
    label: 'Event loop lag',
    phone: 'hidden',
    width: '130px',
    align: 'right',
    cell: ({ lag }) => `${Math.round(lag)} ms`,
  },
]

export function ProcessTable({ processes }: { processes: ProcessRow[] }) {
  return (
    <Table
      label="Processes"
      columns={columns}
      rows={processes}
      rowKey={({ role, machine, pid }) => `${machine} ${role} ${pid}`}
    />
  )
}
