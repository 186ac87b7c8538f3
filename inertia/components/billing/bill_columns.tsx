import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { billTone, StatusBadge } from '@ui/status_badge'
import type { BillRow } from './types'
import type { Column } from '~/components/list/table'

interface BillColumnValues {
  /** In taka. */
  amount: string
  status: string
  /** An ISO date or timestamp. */
  day: string
}

/** @param phoneDay the position of the date on a phone; default hidden */
export function billColumns<Row>(
  statuses: Record<string, string>,
  detailsOf: (row: Row) => BillColumnValues,
  phoneDay?: 'second'
): Column<Row>[] {
  return [
    {
      label: 'Amount',
      sort: 'amount',
      align: 'right',
      mono: true,
      width: '140px',
      phone: 'aside',
      cell: (row) => <Money amount={detailsOf(row).amount} />,
    },
    {
      label: 'Status',
      sort: 'status',
      width: '140px',
      phone: 'second',
      cell: (row) => {
        const { status } = detailsOf(row)
        return <StatusBadge status={status} label={statuses[status]} tone={billTone(status)} />
      },
    },
    {
      label: 'Billing Date',
      sort: 'date',
      width: '130px',
      phone: phoneDay,
      cell: (row) => <DateText value={detailsOf(row).day} />,
    },
  ]
}

export const consoleBillColumnValues = (bill: BillRow): BillColumnValues => ({
  amount: bill.amount_taka,
  status: bill.payment_status,
  day: bill.billing_date,
})
