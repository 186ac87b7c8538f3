import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta } from '#core/list_page'
import type { DnsRecordCheck } from '#mail/dns_records'
import type { SenderStatus, MailDomainStatus } from '#mail/statuses'
import type {
  AttemptEntry,
  MessageDetails,
  MessageEntry,
  SuppressionEntry,
  WebhookDelivery,
  WebhookEntry,
} from '#packages/mail-service/control/contract'
import type { DkimKey, MessageState } from '#packages/mail-service/types'

export type {
  AttemptEntry,
  DkimKey,
  SenderStatus,
  DnsRecordCheck,
  MailDomainStatus,
  MessageDetails,
  MessageEntry,
  MessageState,
  SuppressionEntry,
  WebhookDelivery,
  WebhookEntry,
}

declare module '#core/page_props' {
  interface Pages {
    'customer/email/list': SenderListPage
    'customer/email/details': SenderPage
    'customer/email/domain': MailDomainPage
    'email/verify': VerifyPage
    'admin/email/list': AdminSenderListPage
    'admin/email/details': AdminSenderPage
  }
}

/** An address in lists (product, "Mail"). */
export interface SenderRow {
  id: number
  email: string
  status: SenderStatus
  /** Masked; null where it cannot be used. `POST /email/secret` tells it. */
  secret_key: string | null
  /** Accepted mails by month (UTC), newest first, this one always: `{ '2026-11': 12 }`. */
  sent_mail_count: Record<string, number>
  created_at: string
}

/** Where programs send mail. */
export interface SendingEndpoints {
  /** Where `POST /send-mail` is. */
  mailHost: string
  /** The account's number, with which each secret key is used. */
  accessKeyId: number
  /** For programs that speak SMTP; null where the service does not answer. */
  submission: { host: string; port: number } | null
}

export interface DomainRow {
  id: number
  domain: string
  status: MailDomainStatus
  checked_at: string | null
  failing_since: string | null
  created_at: string
}

/** `customer/email/list`: one of two lists. */
export type SenderListPage = SendingEndpoints & {
  /** Why no more can be made; null when they can. */
  full: string | null
} & (
    | ({ tab: 'addresses'; emails: SenderRow[]; emailStatus: Record<string, string> } & ListMeta)
    | ({ tab: 'domains'; domains: DomainRow[]; domainStatus: Record<string, string> } & ListMeta)
  )

/** What the service says of a sender now. */
export interface SenderUsage {
  hourly_limit: number
  track_opens: boolean
  waiting: number
  scheduled: number
  /** It takes nothing, because its account is suspended. */
  paused: boolean
  /** This month (UTC); the cost in USD. */
  month: {
    accepted: number
    delivered: number
    bounced: number
    complained: number
    cost: string
  }
}

/** `customer/email/details` */
export interface SenderPage extends SendingEndpoints {
  email: SenderRow & { verified_at: string | null; link_sent_at: string | null }
  /** Null where the service does not answer, and before it is verified. */
  facts: SenderUsage | null
  /** Why nothing can be done with it; null when it can. */
  barred: string | null
  /** Why facts are missing; null when they are not. */
  problem: string | null
  /** The account's own domain of this address, where it is in the list. */
  domain: { id: number; domain: string; status: MailDomainStatus } | null
  messageStates: Record<string, string>
  mailEvents: Record<string, string>
  /** Where a test mail goes. */
  own: string
}

/** `customer/email/domain` */
export interface MailDomainPage {
  domain: DomainRow
  /** What DNS said last, or what is to be published where nobody has looked yet. */
  records: (Omit<DnsRecordCheck, 'state'> & { state: DnsRecordCheck['state'] | 'new' })[]
  keys: DkimKey[]
  problem: string | null
}

/** Where the link of a new address leads; null: it is dead. */
export interface VerifyPage {
  asked: { email: string; account: string; token: string } | null
}

/** An address in staff's list. */
export interface AdminSenderRow extends SenderRow {
  status_reason: string | null
  customer: CustomerSummary | null
}

/** `admin/email/list` */
export interface AdminSenderListPage extends ListMeta {
  emails: AdminSenderRow[]
  emailStatus: Record<string, string>
}

/** `admin/email/details` */
export interface AdminSenderPage {
  email: AdminSenderRow & { verified_at: string | null; verified_by: string | null }
  facts: SenderUsage | null
  problem: string | null
  messageStates: Record<string, string>
}

/** `GET /email/:id/messages` */
export interface MessageListResponse {
  messages: MessageEntry[]
  count: number
  /** Rows of one page. */
  length: number
}

/** `GET /email/:id/usage`: a column for each of the last 90 days (UTC). */
export interface MailUsageHistory {
  range: '90d'
  /** Seconds since the epoch of the first day's beginning, and between two of them. */
  from: number
  point: number
  count: number
  series: Record<'accepted' | 'delivered' | 'bounced' | 'complained' | 'opened', number[]>
}
