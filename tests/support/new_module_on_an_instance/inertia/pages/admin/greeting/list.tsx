import { Head } from '@inertiajs/react'
import type { GreetingListPage } from '#greetings/transformers/page_props'
import { CustomerCell } from '~/components/customer_cell'
import { greetingColumns } from '~/components/greeting/greeting_columns'
import { List } from '~/components/list/list'
import { PageHeader } from '@ui/page_header'

export default function GreetingList(answer: GreetingListPage) {
  return (
    <>
      <Head title="Greetings" />
      <PageHeader title="Greetings" hint="The greetings of all customers, newest first." />
      <List
        path="/admin/greeting/list"
        name="greeting"
        answer={answer}
        label="Greetings"
        all="All Greetings"
        searchLabel="Search greetings"
        live={['greeting']}
        columns={[
          ...greetingColumns(answer.statuses),
          { label: 'Customer', cell: ({ customer }) => <CustomerCell customer={customer} /> },
        ]}
        rowKey={(row) => row.id}
        empty={{ title: 'No greetings yet' }}
      />
    </>
  )
}
