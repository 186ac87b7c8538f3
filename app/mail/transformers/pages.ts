import type { CustomerFacts } from '#core/contracts/customer_facts'
import type { ListFacts } from '#core/list_page'
import type { Finding } from '#mail/dns_records'
import type { EmailStatus, MailDomainStatus } from '#mail/statuses'
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
  EmailStatus,
  Finding,
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
    'customer/email/list': EmailListPage
    'customer/email/details': EmailPage
    'customer/email/domain': MailDomainPage
    'email/verify': VerifyPage
    'admin/email/list': AdminEmailListPage
    'admin/email/details': AdminEmailPage
  }
}

/** An address in lists (product, "Mail"). */
export interface EmailRow {
  id: number
  email: string
  status: EmailStatus
  /** Masked; null where it cannot be used. `POST /email/secret` tells it. */
  secret_key: string | null
  /** Accepted mails by month (UTC), newest first, this one always: `{ '2026-11': 12 }`. */
  sent_mail_count: Record<string, number>
  created_at: string
}

/** Where programs send mail. */
export interface SendingPlace {
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
export type EmailListPage = SendingPlace & {
  /** Why no more can be made; null when they can. */
  full: string | null
} & (
    | ({ tab: 'addresses'; emails: EmailRow[]; emailStatus: Record<string, string> } & ListFacts)
    | ({ tab: 'domains'; domains: DomainRow[]; domainStatus: Record<string, string> } & ListFacts)
  )

/** What the service says of a sender now. */
export interface EmailFacts {
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
export interface EmailPage extends SendingPlace {
  email: EmailRow & { verified_at: string | null; link_sent_at: string | null }
  /** Null where the service does not answer, and before it is verified. */
  facts: EmailFacts | null
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
  records: (Omit<Finding, 'state'> & { state: Finding['state'] | 'new' })[]
  keys: DkimKey[]
  problem: string | null
}

/** Where the link of a new address leads; null: it is dead. */
export interface VerifyPage {
  asked: { email: string; account: string; token: string } | null
}

/** An address in staff's list. */
export interface AdminEmailRow extends EmailRow {
  status_reason: string | null
  customer: CustomerFacts | null
}

/** `admin/email/list` */
export interface AdminEmailListPage extends ListFacts {
  emails: AdminEmailRow[]
  emailStatus: Record<string, string>
}

/** `admin/email/details` */
export interface AdminEmailPage {
  email: AdminEmailRow & { verified_at: string | null; verified_by: string | null }
  facts: EmailFacts | null
  problem: string | null
  messageStates: Record<string, string>
}

/** `GET /email/:id/messages` */
export interface Messages {
  messages: MessageEntry[]
  count: number
  /** Rows of one page. */
  length: number
}

/** `GET /email/:id/usage`: a column for each of the last 90 days (UTC). */
export interface MailHistory {
  range: '90d'
  /** Seconds since the epoch of the first day's beginning, and between two of them. */
  from: number
  point: number
  count: number
  series: Record<'accepted' | 'delivered' | 'bounced' | 'complained' | 'opened', number[]>
}
