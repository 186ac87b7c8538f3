import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { Table, type Column } from '~/components/list/table'
import { bytes } from '~/components/metrics/units'
import { TwoLines } from '~/components/list/two_lines'
import { toneOf } from './tones'
import type { ProcessRow } from './types'

const words = { ready: 'Ready', busy: 'Not ready', away: 'Missing' }

const columns: Column<ProcessRow>[] = [
  {
    label: 'Process',
    phone: 'title',
    width: '26%',
    cell: ({ role, machine, pid }) => (
      <TwoLines second={`${machine}, process ${pid}`}>
        <span>{role}</span>
      </TwoLines>
    ),
  },
  {
    label: 'Status',
    phone: 'aside',
    width: '130px',
    cell: ({ status }) => (
      <StatusBadge status={status} label={words[status]} tone={toneOf(status)} />
    ),
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
    cell: ({ memory }) => bytes(memory),
  },
  {
    label: 'Event loop lag',
    phone: 'hidden',
    width: '130px',
    align: 'right',
    cell: ({ lag }) => `${Math.round(lag)} ms`,
  },
]

/** Each process of each machine, as it answered last. */
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
