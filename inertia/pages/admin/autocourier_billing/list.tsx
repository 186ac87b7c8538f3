import { Head } from '@inertiajs/react'
import { PageHeader } from '@ui/page_header'
import { billColumns } from '~/components/billing/bill_columns'
import type { CourierBillListPage, CourierBillRow } from '~/components/auto_courier/types'
import { LinkButton } from '~/components/link_button'
import { rowLinkColumn } from '~/components/list/columns'
import { List } from '~/components/list/list'
import { TwoLineCell } from '~/components/list/two_line_cell'

export default function CourierBills(page: CourierBillListPage) {
  const { bills, paymentStatus } = page
  const href = ({ id }: CourierBillRow) => `/admin/autocourier-billing/details/${id}` as const
  return (
    <>
      <Head title="Auto Courier Billing List" />
      <PageHeader
        title="Auto Courier Billing List"
        hint="Bills of customers of the partner Auto Courier."
        action={
          <LinkButton variant="default" href="/admin/autocourier-billing/events">
            Webhooks
          </LinkButton>
        }
      />
      <List<CourierBillRow>
        path="/admin/autocourier-billing/list"
        name="autocourier_bill"
        answer={{ ...page, rows: bills, statuses: paymentStatus }}
        props={['bills', 'paymentStatus']}
        live={['bill']}
        label="Auto Courier bills"
        all="All Bills"
        rowKey={({ id }) => id}
        rowHref={href}
        struck={({ status }) => status === 'rejected' || status === 'deleted'}
        searchLabel="Search by bill, transaction, account or reference"
        empty={{ title: 'No bills yet', hint: 'Auto Courier sends the bills.' }}
        columns={[
          {
            label: 'Account',
            phone: 'title',
            cell: ({ user_id: user, account_number: account }) => (
              <TwoLineCell second={user}>{account ?? '-'}</TwoLineCell>
            ),
          },
          {
            label: 'Trx ID',
            mono: true,
            width: '150px',
            phone: 'second',
            cell: ({ trx_id: trx }) => trx ?? '-',
          },
          { label: 'Reference', width: '140px', cell: ({ reference }) => reference || '-' },
          ...billColumns<CourierBillRow>(paymentStatus, ({ amount, status, createdAt: day }) => ({
            amount,
            status,
            day,
          })),
          rowLinkColumn({ label: 'Details', href, nameOf: ({ _id: id }) => id }),
        ]}
      />
    </>
  )
}
