import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import type { CustomerRow } from '~/components/customer/types'
import { Link } from '~/components/link'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import type { ListPageProps } from '~/types'

const columns: Column<CustomerRow>[] = [
  {
    label: 'Name',
    sort: 'name',
    phone: 'title',
    cell: ({ id, name }) => (
      <Link href={`/admin/customer/${id}`} title={name}>
        {name}
      </Link>
    ),
  },
  { label: 'Email', sort: 'email', width: '30%', phone: 'second', cell: ({ email }) => email },
  { label: 'Account', width: '100px', mono: true, phone: 'hidden', cell: ({ id }) => id },
  {
    label: 'Members',
    sort: 'members',
    width: '100px',
    phone: 'hidden',
    cell: ({ members }) => members,
  },
  {
    label: 'Status',
    sort: 'status',
    width: '130px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    label: 'Since',
    sort: 'since',
    width: '140px',
    phone: 'action',
    cell: ({ since }) => <DateText value={since} />,
  },
]

export default function CustomerList(answer: ListPageProps<CustomerRow>) {
  return (
    <>
      <Head title="Customers" />
      <PageHeader title="Customers" hint="Every account, newest first." />
      <List
        path="/admin/customer/list"
        name="customer"
        live={['account', 'person']}
        answer={answer}
        label="Customers"
        all="All Customers"
        searchLabel="Search by name, email or account number"
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/admin/customer/${id}`}
        struck={({ status }) => status === 'closed'}
        empty={{
          title: 'No customers yet',
          hint: 'Customers appear here as soon as they sign up.',
        }}
      />
    </>
  )
}
