import type { CourierEventState } from '#auto_courier/event_states'
import type { BillStatus, ReceivedSumView, TransferMatch } from '#billing/public'
import type { ListMeta, StatusLabels } from '#core/list_page'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/autocourier_billing/list': CourierBillListPage
    'admin/autocourier_billing/details': CourierBillPage
    'admin/autocourier_billing/events': CourierEventsPage
  }
}

declare module '#billing/bill_families' {
  interface BillFamilies {
    autocourier: true
  }
}

export interface CourierBillRow {
  _id: string
  id: number
  user_id: string
  account_number: string | null
  trx_id: string | null
  reference: string | null
  amount: string
  status: BillStatus
  note: string | null
  /** ISO time. */
  createdAt: string
}

export interface CourierBillListPage extends ListMeta {
  bills: CourierBillRow[]
  paymentStatus: StatusLabels
}

export interface CourierBillPage {
  bill: CourierBillRow
  statements: TransferMatch[]
  difference: ReceivedSumView | null
  paymentStatus: StatusLabels
  next: number | null
}

export interface CourierEventRow {
  /** The same in all deliveries. */
  id: string
  bill_id: number
  bill: string
  type: string
  state: CourierEventState
  /** ISO time of the event's creation. `next_at`: of the next delivery; `null` if none is due. */
  at: string
  next_at: string | null
  /** Newest first. */
  attempts: { at: string; status: number | null; answer: string; took_ms: number }[]
}

export interface CourierEventsPage extends ListMeta {
  events: CourierEventRow[]
  eventStates: StatusLabels
  url: string | null
  secret: { since: string | null; before_ends: string | null }
  overlapHours: number
}
