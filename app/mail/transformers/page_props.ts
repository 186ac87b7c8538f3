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

/** A sender as pages list it (docs/product.md, "Mail"). */
export interface SenderRow {
  id: number
  email: string
  status: SenderStatus
  /**
   * Masked secret key; `null` if the sender cannot be used. `POST /email/secret` returns the full
   * key.
   */
  secret_key: string | null
  /**
   * Number of messages by month (UTC), newest first: `{ '2026-11': 12 }`. Always contains the
   * current month.
   */
  sent_mail_count: Record<string, number>
  created_at: string
}

export interface SendingEndpoints {
  mailHost: string
  /** The account's id, which programs send together with a secret key. */
  accessKeyId: number
  /** Address of the SMTP server. Null if the mail service does not respond. */
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

export type SenderListPage = SendingEndpoints & {
  /** Reason why no further address or domain can be added. Null if it can. */
  full: string | null
} & (
    | ({ tab: 'addresses'; emails: SenderRow[]; emailStatus: Record<string, string> } & ListMeta)
    | ({ tab: 'domains'; domains: DomainRow[]; domainStatus: Record<string, string> } & ListMeta)
  )

/** Settings and counts of a sender, as the mail service reports them now. */
export interface SenderUsage {
  hourly_limit: number
  track_opens: boolean
  waiting: number
  scheduled: number
  /**
   * True: the mail service rejects new emails of the sender, because the account is not active or
   * the verification has ended.
   */
  paused: boolean
  /** Counts of this month (UTC). `cost` is in USD. */
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
  /** Reason why the sender can be neither changed nor used. Null if it can. */
  barred: string | null
  /** Message if the mail service does not respond, otherwise null. */
  problem: string | null
  domain: { id: number; domain: string; status: MailDomainStatus } | null
  messageStates: Record<string, string>
  mailEvents: Record<string, string>
  own: string
}

export interface MailDomainPage {
  domain: DomainRow
  /**
   * Records to publish, with the results of the last check. `new`: not checked yet. Empty if the
   * mail service does not respond.
   */
  records: (Omit<DnsRecordCheck, 'state'> & { state: DnsRecordCheck['state'] | 'new' })[]
  keys: DkimKey[]
  problem: string | null
}

/** `asked` is the address to verify. Null if the link is used, replaced, expired or unknown. */
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

/** Response of `GET /email/:id/usage`: counts of the last 90 days (UTC). */
export interface MailUsageHistory {
  range: '90d'
  /** `from`: start in seconds since 1970. `point`: seconds between two points. */
  from: number
  point: number
  count: number
  series: Record<'accepted' | 'delivered' | 'bounced' | 'complained' | 'opened', number[]>
}
