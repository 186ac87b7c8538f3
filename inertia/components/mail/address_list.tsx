import type { ReactNode } from 'react'
import { CopyButton } from '@ui/copy_button'
import { StatusBadge } from '@ui/status_badge'
import { Link } from '~/components/link'
import { LinkButton } from '~/components/link_button'
import { List } from '~/components/list/list'
import { sentOf } from './counts'
import { SecretKey } from './secret_key'
import type { EmailListPage, EmailRow } from './types'

type Page = Extract<EmailListPage, { tab: 'addresses' }>

/** The addresses of an account. */
export function AddressList({ page, add }: { page: Page; add: ReactNode }) {
  const { emails, emailStatus } = page
  const href = ({ id }: EmailRow) => `/email/${id}` as const
  return (
    <List<EmailRow>
      path="/email/list"
      name="email"
      answer={{ ...page, rows: emails, statuses: emailStatus }}
      props={['emails', 'emailStatus', 'full']}
      live={['sender']}
      label="Emails"
      all="All Emails"
      rowKey={({ id }) => id}
      rowHref={(row) => (row.status === 'deleted' ? null : href(row))}
      struck={({ status }) => status === 'deleted'}
      searchLabel="Search by email"
      empty={{
        title: 'No addresses yet',
        hint: 'Add one that you read. A link that goes to it makes it ready to send.',
        action: add,
      }}
      columns={[
        {
          label: 'Email',
          sort: 'email',
          phone: 'title',
          cell: (row) => (
            <>
              {row.status === 'deleted' ? (
                <span title={row.email}>{row.email}</span>
              ) : (
                <Link href={href(row)} title={row.email}>
                  {row.email}
                </Link>
              )}
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
          cell: ({ sent_mail_count: counts }) => sentOf(counts),
        },
        {
          label: 'Secret Key',
          width: '160px',
          cell: ({ id, secret_key: masked }) => <SecretKey id={id} masked={masked} />,
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
        {
          label: 'Action',
          align: 'right',
          width: '96px',
          phone: 'action',
          cell: (row) =>
            row.status === 'deleted' ? null : (
              <LinkButton
                size="xs"
                variant="default"
                href={href(row)}
                data-keep
                aria-label={`Manage ${row.email}`}
              >
                Manage
              </LinkButton>
            ),
        },
      ]}
    />
  )
}
