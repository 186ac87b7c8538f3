import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { Link } from '~/components/link'
import { Table } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { adminBillHref } from './admin_bill_href'
import type { UnmatchedPaymentRow } from './types'

interface UnmatchedPaymentsProps {
  rows: UnmatchedPaymentRow[]
  count: number
}

/**
 * Lists payments that wait for a decision, and that no statement (an operator's list of payments) shows as received.
 */
export function UnmatchedPayments({ rows, count }: UnmatchedPaymentsProps) {
  if (count === 0) return null
  return (
    <section aria-labelledby="missing">
      <h2 id="missing">Reported payments that are on no statement ({count})</h2>
      {count > rows.length && <p>Only the oldest {rows.length} are shown.</p>}
      <Table
        label="Reported payments that are on no statement"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            label: 'Bill',
            phone: 'title',
            cell: (row) => (
              <TwoLineCell second={row.account_number}>
                <Link href={adminBillHref(row)} title={row.bill}>
                  {row.bill}
                </Link>
              </TwoLineCell>
            ),
          },
          {
            label: 'Trx ID',
            mono: true,
            phone: 'second',
            cell: (row) =>
              row.failed ? (
                <TwoLineCell second={`On the statement: ${row.failed}`}>{row.trx_id}</TwoLineCell>
              ) : (
                row.trx_id
              ),
          },
          {
            label: 'Reported',
            width: '150px',
            phone: 'second',
            cell: ({ at }) => <DateText value={at} />,
          },
          {
            label: 'Amount',
            align: 'right',
            mono: true,
            width: '140px',
            phone: 'aside',
            cell: ({ taka }) => <Money amount={taka} />,
          },
        ]}
      />
    </section>
  )
}
