import { Head } from '@inertiajs/react'
import { CopyButton } from '@ui/copy_button'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { CustomerCell } from '~/components/customer_cell'
import { rowLinkColumn, RowName } from '~/components/list/columns'
import { List } from '~/components/list/list'
import { sentInLatestMonth } from '~/components/mail/sent_in_latest_month'
import type { AdminSenderListPage, AdminSenderRow } from '~/components/mail/types'

export default function EmailSenders(page: AdminSenderListPage) {
  const { emails, emailStatus } = page
  const href = ({ id, status }: AdminSenderRow) =>
    status === 'deleted' ? null : (`/admin/email/${id}` as const)
  return (
    <>
      <Head title="Email List" />
      <PageHeader
        title="Email List"
        hint="The addresses that customers send email from, newest first."
      />
      <List<AdminSenderRow>
        path="/admin/email/list"
        name="email"
        answer={{ ...page, rows: emails, statuses: emailStatus }}
        props={['emails', 'emailStatus']}
        live={['sender']}
        label="Emails"
        all="All Emails"
        rowKey={({ id }) => id}
        rowHref={href}
        struck={({ status }) => status === 'deleted'}
        searchLabel="Search by email or customer"
        empty={{
          title: 'No emails yet',
          hint: 'Email addresses appear here as soon as a customer adds one.',
        }}
        columns={[
          {
            label: 'Email',
            sort: 'email',
            phone: 'title',
            cell: (row) => (
              <>
                <RowName href={href(row)} name={row.email} />
                <CopyButton value={row.email} copied="Email Copied!" what="email" />
              </>
            ),
          },
          {
            label: 'Owner',
            sort: 'customer',
            width: '20%',
            phone: 'second',
            cell: ({ customer }) => <CustomerCell customer={customer} />,
          },
          {
            label: 'Sent Mail',
            sort: 'sent',
            width: '110px',
            align: 'right',
            mono: true,
            cell: ({ sent_mail_count: counts }) => sentInLatestMonth(counts),
          },
          {
            label: 'Secret Key',
            width: '130px',
            // Only the owner may see the secret key. Staff see whether a key exists.
            cell: ({ secret_key: masked }) =>
              masked === null ? 'Not Available' : <span className="mono">{masked}</span>,
          },
          {
            label: 'Status',
            sort: 'status',
            width: '130px',
            phone: 'aside',
            cell: ({ status, status_reason: reason }) => (
              <span data-keep title={reason ?? undefined}>
                <StatusBadge status={status} label={emailStatus[status]} />
              </span>
            ),
          },
          rowLinkColumn({ label: 'Manage', href, nameOf: ({ email }) => email }),
        ]}
      />
    </>
  )
}
