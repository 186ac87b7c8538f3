import { Table } from '~/components/list/table'
import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { StatusBadge } from '@ui/status_badge'
import type { RunRow } from './types'

const statusLabels = { running: 'Running', done: 'Done', failed: 'Failed' }

export function BillingRunHistory({ runs }: { runs: RunRow[] }) {
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Recent runs</h2>
      <Table
        label="Recent runs"
        rows={runs}
        rowKey={(row) => row.id}
        details={({ skipped, error }) => (
          <>
            {error && <p>{error}</p>}
            {skipped.length === 0 && <p>No account was skipped.</p>}
            <ul>
              {skipped.map(({ account_id: id, name, reason }) => (
                <li key={id}>
                  {name}: {reason}
                </li>
              ))}
            </ul>
          </>
        )}
        columns={[
          {
            label: 'Started',
            phone: 'title',
            cell: ({ day, created_at: at }) => <DateText value={day ?? at} />,
          },
          {
            label: 'Started by',
            phone: 'second',
            cell: ({ by, day }) => (day ? 'Berth' : (by ?? '-')),
          },
          {
            label: 'Status',
            width: '120px',
            phone: 'second',
            cell: ({ status }) => <StatusBadge status={status} label={statusLabels[status]} />,
          },
          { label: 'Bills', align: 'right', mono: true, cell: ({ bills }) => bills },
          {
            label: 'Total',
            align: 'right',
            mono: true,
            phone: 'aside',
            cell: ({ total }) => <Money amount={total} />,
          },
        ]}
      />
    </section>
  )
}
