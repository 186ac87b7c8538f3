import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { billTone, StatusBadge } from '@ui/status_badge'
import type { AdminBillListPage, AdminBillRow } from '~/components/billing/types'
import { CustomerCell } from '~/components/customer_cell'
import { LinkButton } from '~/components/link_button'
import { List } from '~/components/list/list'
import { TwoLines } from '~/components/list/two_lines'

/** The console's bills. */
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
        empty={{ title: 'No bills yet', hint: 'They come when something begins or a month ends.' }}
        columns={[
          {
            label: 'Account',
            phone: 'title',
            cell: ({ customer, account_number: account, number }) => (
              <TwoLines second={account ?? number ?? '-'}>
                <CustomerCell customer={customer} />
              </TwoLines>
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
          {
            label: 'Amount',
            sort: 'amount',
            align: 'right',
            mono: true,
            width: '140px',
            phone: 'aside',
            cell: ({ amount_taka: taka }) => <Money amount={taka} />,
          },
          {
            label: 'Status',
            sort: 'status',
            width: '130px',
            phone: 'second',
            cell: ({ payment_status: status }) => (
              <StatusBadge status={status} label={paymentStatus[status]} tone={billTone(status)} />
            ),
          },
          {
            label: 'Billing Date',
            sort: 'date',
            width: '130px',
            cell: ({ billing_date: day }) => <DateText value={day} />,
          },
          {
            label: 'Action',
            align: 'right',
            width: '100px',
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
