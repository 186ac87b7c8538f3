import { Head, usePage } from '@inertiajs/react'
import { DetailLine } from '@ui/detail_line'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { CreditEntries } from '~/components/billing/credit_entries'
import { MonthToDate } from '~/components/billing/month_to_date'
import type { BillListPage, BillRow } from '~/components/billing/types'
import type { SharedProps } from '~/types'
import { Link } from '~/components/link'
import { billColumns, consoleBillColumnValues } from '~/components/billing/bill_columns'
import { rowLinkColumn } from '~/components/list/columns'
import { List } from '~/components/list/list'

export default function Bills(page: BillListPage) {
  const { bills, paymentStatus, credit } = page
  const { dollarRate } = usePage<SharedProps>().props
  const href = ({ id }: BillRow) => `/billing/${id}` as const
  return (
    <>
      <Head title="Billing & Payment" />
      <PageHeader title="Billing & Payment" hint="Your bills, newest first.">
        {Number(credit) > 0 && (
          <DetailLine
            items={[
              { label: 'Credit', value: <Money amount={credit} rate={dollarRate} /> },
              { label: 'Applies to', value: 'Your next bill' },
            ]}
          />
        )}
      </PageHeader>
      <MonthToDate soFar={page.soFar} />
      <CreditEntries entries={page.creditEntries} />
      <List<BillRow>
        path="/billing"
        name="bill"
        answer={{ ...page, rows: bills, statuses: paymentStatus }}
        props={['bills', 'paymentStatus', 'soFar', 'credit', 'creditEntries']}
        live={['bill']}
        label="Bills"
        all="All Bills"
        rowKey={({ id }) => id}
        rowHref={href}
        struck={({ payment_status: status }) => status === 'deleted'}
        searchLabel="Search by bill or transaction ID"
        empty={{
          title: 'No bills found.',
          hint: 'You get a bill when a service starts and at the end of each month.',
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
          ...billColumns<BillRow>(paymentStatus, consoleBillColumnValues, 'second'),
          rowLinkColumn({
            label: 'Details',
            href,
            nameOf: ({ id, number }) => number ?? String(id),
          }),
        ]}
      />
    </>
  )
}
