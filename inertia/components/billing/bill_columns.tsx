import { DateText } from '@ui/date_text'
import { formatTaka, Money } from '@ui/money'
import { useRegion } from '@ui/region'
import { billTone, StatusBadge } from '@ui/status_badge'
import type { BillRow } from './types'
import type { Column } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'

interface BillColumnValues {
  /** Total of the bill, in taka. */
  amount: string
  /** Unpaid part of `amount`, in taka. Default: `amount`. */
  left?: string
  status: string
  /** An ISO date or timestamp. */
  day: string
}

/** @param phoneDay position of the date on a phone. Default: the date is hidden there */
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
      cell: (row) => <BillAmount {...detailsOf(row)} />,
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

const UNPAID_STATUSES = ['pending', 'processing', 'rejected']

function BillAmount({ amount, left = amount, status }: BillColumnValues) {
  const region = useRegion()
  const isPartlyPaid = left !== amount && UNPAID_STATUSES.includes(status)
  if (!isPartlyPaid) return <Money amount={amount} />
  return (
    <TwoLineCell second={`${formatTaka(left, '1', region)} left to pay`} always>
      <Money amount={amount} />
    </TwoLineCell>
  )
}

export const consoleBillColumnValues = (bill: BillRow): BillColumnValues => ({
  amount: bill.amount_taka,
  left: bill.due_taka,
  status: bill.payment_status,
  day: bill.billing_date,
})
