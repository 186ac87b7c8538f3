import { Head } from '@inertiajs/react'
import { PageHeader } from '@ui/page_header'
import { billColumns, consoleBillColumnValues } from '~/components/billing/bill_columns'
import type { AdminBillListPage, AdminBillRow } from '~/components/billing/types'
import { CustomerCell } from '~/components/customer_cell'
import { rowLinkColumn } from '~/components/list/columns'
import { List } from '~/components/list/list'
import { TwoLineCell } from '~/components/list/two_line_cell'

export default function Bills(page: AdminBillListPage) {
  const { bills, paymentStatus } = page
  const href = ({ id }: AdminBillRow) => `/admin/billing/details/${id}` as const
  return (
    <>
      <Head title="Billing List" />
      <PageHeader title="Billing List" hint="The bills of all customers, newest first." />
      <List<AdminBillRow>
        path="/admin/billing/list"
        name="bill"
        answer={{ ...page, rows: bills, statuses: paymentStatus }}
        props={['bills', 'paymentStatus']}
        live={['bill']}
        label="Bills"
        all="All Bills"
        rowKey={({ id }) => id}
        rowHref={href}
        struck={({ payment_status: status }) => status === 'rejected' || status === 'deleted'}
        searchLabel="Search by bill, transaction, account or reference"
        empty={{
          title: 'No bills yet',
          hint: 'Bills are created when a service starts and at the end of each month.',
        }}
        columns={[
          {
            label: 'Account',
            phone: 'title',
            cell: ({ customer, account_number: account, number }) => (
              <TwoLineCell second={account ?? number ?? '-'}>
                <CustomerCell customer={customer} />
              </TwoLineCell>
            ),
          },
          {
            label: 'Trx ID',
            mono: true,
            width: '140px',
            phone: 'second',
            cell: ({ trx_id: trx }) => trx ?? '-',
          },
          { label: 'Reference', width: '130px', cell: ({ reference }) => reference || '-' },
          ...billColumns<AdminBillRow>(paymentStatus, consoleBillColumnValues),
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
