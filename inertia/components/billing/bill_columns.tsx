import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { billTone, StatusBadge } from '@ui/status_badge'
import type { BillRow } from './types'
import type { Column } from '~/components/list/table'

interface BillColumnValues {
  /** Taka. */
  amount: string
  status: string
  /** An ISO day or instant. */
  day: string
}

/**
 * What every list of bills says of one: how much, how it stands, and since when.
 * @param phoneDay where the day stands on a phone, if there is room
 */
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

/** What a bill of the console's says in those columns. */
export const consoleBillColumnValues = (bill: BillRow): BillColumnValues => ({
  amount: bill.amount_taka,
  status: bill.payment_status,
  day: bill.billing_date,
})
