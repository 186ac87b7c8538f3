import type { GreetingRow } from '#greetings/transformers/page_props'
import type { Column } from '~/components/list/table'

/** Returns the columns that the pages of customers and of staff show. `statuses` are the labels by status. */
export function greetingColumns(statuses: Record<string, string>): Column<GreetingRow>[] {
  return [
    { label: 'Greeting', sort: 'text', cell: (row) => row.text, phone: 'title' },
    { label: 'Server instance', cell: (row) => row.instance, phone: 'second' },
    { label: 'Status', sort: 'status', cell: (row) => statuses[row.status], phone: 'aside' },
  ]
}
