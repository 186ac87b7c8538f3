import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListPage } from '#core/page_props'
import type { GreetingStatus } from '#greetings/statuses'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/greeting/list': GreetingListPage
    'admin/greeting/list': GreetingListPage
  }
}

export type GreetingListPage = ListPage<GreetingRow> & {
  /** The customer's active instances. Empty for staff. */
  instances: { id: number; name: string }[]
}

export interface GreetingRow {
  id: number
  text: string
  status: GreetingStatus
  instance: string
  /** Owner of the greeting, for staff. Null for customers. */
  customer: CustomerSummary | null
}
