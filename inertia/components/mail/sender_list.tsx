import type { ReactNode } from 'react'
import { CopyButton } from '@ui/copy_button'
import { StatusBadge } from '@ui/status_badge'
import { rowLinkColumn, RowName } from '~/components/list/columns'
import { List } from '~/components/list/list'
import { sentInLatestMonth } from './sent_in_latest_month'
import { MaskedSecretKey } from '~/components/vault/masked_secret_key'
import type { SenderListPage, SenderRow } from './types'

type Page = Extract<SenderListPage, { tab: 'addresses' }>

export function SenderList({ page, add }: { page: Page; add: ReactNode }) {
  const { emails, emailStatus } = page
  const href = ({ id, status }: SenderRow) =>
    status === 'deleted' ? null : (`/email/${id}` as const)
  return (
    <List<SenderRow>
      path="/email/list"
      name="email"
      answer={{ ...page, rows: emails, statuses: emailStatus }}
      props={['emails', 'emailStatus', 'full']}
      live={['sender']}
      label="Emails"
      all="All Emails"
      rowKey={({ id }) => id}
      rowHref={href}
      struck={({ status }) => status === 'deleted'}
      searchLabel="Search by email"
      empty={{
        title: 'No addresses yet',
        hint: 'Add an address whose inbox you can read. Open the link that we send to it to start sending.',
        action: add,
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
          label: 'Sent Mail',
          sort: 'sent',
          width: '110px',
          align: 'right',
          mono: true,
          phone: 'second',
          phoneLabel: true,
          cell: ({ sent_mail_count: counts }) => sentInLatestMonth(counts),
        },
        {
          label: 'Secret Key',
          width: '160px',
          cell: ({ id, secret_key: masked }) => (
            <MaskedSecretKey from="/email/secret" id={id} masked={masked} />
          ),
        },
        {
          label: 'Status',
          sort: 'status',
          width: '130px',
          phone: 'aside',
          cell: ({ status }) => (
            <span data-keep>
              <StatusBadge status={status} label={emailStatus[status]} />
            </span>
          ),
        },
        rowLinkColumn({ label: 'Manage', href, nameOf: ({ email }) => email }),
      ]}
    />
  )
}
