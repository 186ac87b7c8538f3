import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import type { CustomerRow } from '~/components/customer/types'
import { Link } from '~/components/link'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import type { ListAnswer } from '~/types'

const columns: Column<CustomerRow>[] = [
  {
    label: 'Name',
    phone: 'title',
    cell: ({ id, name }) => <Link href={`/admin/customer/${id}`}>{name}</Link>,
  },
  { label: 'Email', cell: ({ email }) => email },
  { label: 'Account', width: '100px', mono: true, phone: 'hidden', cell: ({ id }) => id },
  { label: 'Members', width: '100px', phone: 'hidden', cell: ({ members }) => members },
  {
    label: 'Status',
    width: '130px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    label: 'Since',
    width: '140px',
    phone: 'action',
    cell: ({ since }) => <DateText value={since} />,
  },
]

/** Everybody who buys here, newest first. */
export default function CustomerList(answer: ListAnswer<CustomerRow>) {
  return (
    <>
      <Head title="Customers" />
      <PageHeader title="Customers" hint="Every account, newest first." />
      <List
        path="/admin/customer/list"
        storageKey="customer-pagination"
        answer={answer}
        label="Customers"
        all="All Customers"
        searchLabel="Search by name, email or account number"
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/admin/customer/${id}`}
        struck={({ status }) => status === 'closed'}
        empty={{ title: 'No customers yet', hint: 'They appear here as soon as they sign up.' }}
      />
    </>
  )
}
