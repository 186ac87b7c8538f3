import type { ReactNode } from 'react'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { rowLinkColumn, RowName } from '~/components/list/columns'
import { List } from '~/components/list/list'
import type { DomainRow, SenderListPage } from './types'

type Page = Extract<SenderListPage, { tab: 'domains' }>

export function DomainList({ page, add }: { page: Page; add: ReactNode }) {
  const { domains, domainStatus } = page
  const href = ({ id, status }: DomainRow) =>
    status === 'deleted' ? null : (`/email/domain/${id}` as const)
  return (
    <List<DomainRow>
      path="/email/list"
      query={{ tab: 'domains' }}
      name="mail_domain"
      answer={{ ...page, rows: domains, statuses: domainStatus }}
      props={['domains', 'domainStatus', 'full']}
      live={['mail_domain']}
      label="Domains"
      all="All Domains"
      rowKey={({ id }) => id}
      rowHref={href}
      struck={({ status }) => status === 'deleted'}
      searchLabel="Search by domain"
      empty={{
        title: 'No domains yet',
        hint: 'Add your own domain to sign your email with it. Every address at the domain can then send.',
        action: add,
      }}
      columns={[
        {
          label: 'Domain',
          sort: 'domain',
          phone: 'title',
          cell: (row) => <RowName href={href(row)} name={row.domain} />,
        },
        {
          label: 'Last checked',
          sort: 'checked',
          width: '200px',
          phone: 'second',
          cell: ({ checked_at: at }) => <DateText value={at} shape="moment" />,
        },
        {
          label: 'Status',
          sort: 'status',
          width: '130px',
          phone: 'aside',
          cell: ({ status }) => (
            <span data-keep>
              <StatusBadge status={status} label={domainStatus[status]} />
            </span>
          ),
        },
        rowLinkColumn({ label: 'Manage', href, nameOf: ({ domain }) => domain }),
      ]}
    />
  )
}
