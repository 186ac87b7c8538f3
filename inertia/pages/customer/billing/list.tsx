import { Head, usePage } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { KeyFacts } from '@ui/key_facts'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { billTone, StatusBadge } from '@ui/status_badge'
import { MonthSoFar } from '~/components/billing/month_so_far'
import type { BillListPage, BillRow } from '~/components/billing/types'
import type { SharedProps } from '~/types'
import { Link } from '~/components/link'
import { LinkButton } from '~/components/link_button'
import { List } from '~/components/list/list'

/** A customer's bills. */
export default function Bills(page: BillListPage) {
  const { bills, paymentStatus, credit } = page
  const { dollarRate } = usePage<SharedProps>().props
  const href = ({ id }: BillRow) => `/billing/${id}` as const
  return (
    <>
      <Head title="Billing & Payment" />
      <PageHeader title="Billing & Payment" hint="Your bills, newest first.">
        {Number(credit) > 0 && (
          <KeyFacts
            facts={[
              { label: 'Credit', value: <Money amount={credit} rate={dollarRate} /> },
              { label: 'Used for', value: 'Your next bill' },
            ]}
          />
        )}
      </PageHeader>
      <MonthSoFar soFar={page.soFar} />
      <List<BillRow>
        path="/billing"
        name="bill"
        answer={{ ...page, rows: bills, statuses: paymentStatus }}
        props={['bills', 'paymentStatus', 'soFar']}
        live={['bill']}
        label="Bills"
        all="All Bills"
        rowKey={({ id }) => id}
        rowHref={href}
        struck={({ payment_status: status }) => status === 'deleted'}
        searchLabel="Search by bill or transaction ID"
        empty={{
          title: 'No bills found.',
          hint: 'They come when something begins or a month ends.',
        }}
        nothing="No bills found."
        columns={[
          {
            label: 'Bill ID',
            sort: 'id',
            mono: true,
            phone: 'title',
            cell: (row) => <Link href={href(row)}>{row.number}</Link>,
          },
          {
            label: 'Amount',
            sort: 'amount',
            align: 'right',
            mono: true,
            width: '160px',
            phone: 'aside',
            cell: ({ amount_taka: taka }) => <Money amount={taka} />,
          },
          {
            label: 'Status',
            sort: 'status',
            width: '150px',
            phone: 'second',
            cell: ({ payment_status: status }) => (
              <StatusBadge status={status} label={paymentStatus[status]} tone={billTone(status)} />
            ),
          },
          {
            label: 'Billing Date',
            sort: 'date',
            width: '150px',
            phone: 'second',
            cell: ({ billing_date: day }) => <DateText value={day} />,
          },
          {
            label: 'Action',
            align: 'right',
            width: '110px',
            phone: 'action',
            cell: (row) => (
              <LinkButton
                size="xs"
                variant="default"
                href={href(row)}
                aria-label={`Details of ${row.number}`}
              >
                Details
              </LinkButton>
            ),
          },
        ]}
      />
    </>
  )
}
