import { usePage } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import type { CreditEntryRow } from '~/components/billing/types'
import { Link } from '~/components/link'
import { Table } from '~/components/list/table'
import type { SharedProps } from '~/types'

export function CreditEntries({ entries }: { entries: CreditEntryRow[] }) {
  const { dollarRate } = usePage<SharedProps>().props
  if (entries.length === 0) return null
  return (
    <section aria-labelledby="credit">
      <h2 id="credit">Account credit</h2>
      <Table
        label="Account credit"
        rows={entries}
        rowKey={({ id }) => id}
        columns={[
          { label: 'Reason', phone: 'title', cell: ({ reason }) => reason },
          {
            label: 'Date',
            width: '150px',
            phone: 'second',
            cell: ({ at }) => <DateText value={at} />,
          },
          {
            label: 'Used on',
            width: '170px',
            phone: 'second',
            cell: ({ used_on: bill }) =>
              bill ? <Link href={`/billing/${bill.id}`}>{bill.number}</Link> : 'Your next bill',
          },
          {
            label: 'Amount',
            align: 'right',
            mono: true,
            width: '150px',
            phone: 'aside',
            cell: ({ amount }) => <Money amount={amount} rate={dollarRate} />,
          },
        ]}
      />
    </section>
  )
}
