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
  interface PagePropsByFile {
    'customer/email/list': SenderListPage
    'customer/email/details': SenderPage
    'customer/email/domain': MailDomainPage
    'email/verify': VerifyPage
    'admin/email/list': AdminSenderListPage
    'admin/email/details': AdminSenderPage
  }
}

/** docs/product.md, "Mail". */
export interface SenderRow {
  id: number
  email: string
  status: SenderStatus
  /** Masked; `null` if unusable. `POST /email/secret` returns it in full. */
  secret_key: string | null
  /** Messages by month (UTC), newest first, always with the present month: `{ '2026-11': 12 }`. */
  sent_mail_count: Record<string, number>
  created_at: string
}

export interface SendingEndpoints {
  mailHost: string
  /** The account's id, used together with a secret key. */
  accessKeyId: number
  /** Null if the mail service does not respond. */
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

/** Props of `customer/email/list`, with a tab of addresses and one of domains. */
export type SenderListPage = SendingEndpoints & {
  /** Reason why no more can be created; null otherwise. */
  full: string | null
} & (
    | ({ tab: 'addresses'; emails: SenderRow[]; emailStatus: Record<string, string> } & ListMeta)
    | ({ tab: 'domains'; domains: DomainRow[]; domainStatus: Record<string, string> } & ListMeta)
  )

/** The present state of a sender at the mail service. */
export interface SenderUsage {
  hourly_limit: number
  track_opens: boolean
  waiting: number
  scheduled: number
  /** Whether the sender accepts no mail, because its account is suspended or its verification has ended. */
  paused: boolean
  /** This month (UTC). `cost` is in USD. */
  month: {
    accepted: number
    delivered: number
    bounced: number
    complained: number
    cost: string
  }
}

export interface SenderPage extends SendingEndpoints {
  email: SenderRow & { verified_at: string | null; link_sent_at: string | null }
  /** Null if the mail service does not respond or the sender was never verified. */
  facts: SenderUsage | null
  /** Reason why the sender cannot be changed and used; null otherwise. */
  barred: string | null
  /** Why `facts` is `null`; `null` otherwise. */
  problem: string | null
  /** The account's domain of this address, if any. */
  domain: { id: number; domain: string; status: MailDomainStatus } | null
  messageStates: Record<string, string>
  mailEvents: Record<string, string>
  own: string
}

export interface MailDomainPage {
  domain: DomainRow
  /** Results of the last check, or the records to publish before the first one. */
  records: (Omit<DnsRecordCheck, 'state'> & { state: DnsRecordCheck['state'] | 'new' })[]
  keys: DkimKey[]
  problem: string | null
}

/** `asked` is `null` if the link has expired. */
export interface VerifyPage {
  asked: { email: string; account: string; token: string } | null
}

export interface AdminSenderRow extends SenderRow {
  status_reason: string | null
  customer: CustomerSummary | null
}

export interface AdminSenderListPage extends ListMeta {
  emails: AdminSenderRow[]
  emailStatus: Record<string, string>
}

export interface AdminSenderPage {
  email: AdminSenderRow & { verified_at: string | null; verified_by: string | null }
  facts: SenderUsage | null
  problem: string | null
  messageStates: Record<string, string>
}

/** Response of `GET /email/:id/messages`. */
export interface MessageListResponse {
  messages: MessageEntry[]
  count: number
  length: number
}

/** `GET /email/:id/usage`: the last 90 days (UTC). */
export interface MailUsageHistory {
  range: '90d'
  /** `from`: seconds since the epoch. `point`: seconds between two points. */
  from: number
  point: number
  count: number
  series: Record<'accepted' | 'delivered' | 'bounced' | 'complained' | 'opened', number[]>
}
