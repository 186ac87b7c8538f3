import type {
  AttemptOutcome,
  DkimKey,
  DomainState,
  MailEventType,
  MessageState,
  SenderState,
  SuppressionReason,
} from '../types.js'

type Nothing = Record<string, never>
type Call<Input, Output> = { input: Input; output: Output }

/** A sender as the console shows it. Times in this file are ISO 8601. */
export interface SenderInfo {
  id: number
  state: SenderState
  hourlyLimit: number
  /** Whether a tracking pixel in the HTML part reports openings. Default off. */
  trackOpens: boolean
  /** Messages without a final state, and how many of them are scheduled for later. */
  waiting: number
  scheduled: number
  /** Counts of the current month (UTC). */
  month: { accepted: number; delivered: number; bounced: number; complained: number }
}

/** Counts of one day (UTC). */
export interface DailyMailUsage {
  senderId: number
  accountId: number
  /** `2026-11-23` */
  day: string
  accepted: number
  delivered: number
  bounced: number
  complained: number
  opened: number
}

export interface MessageEntry {
  id: string
  state: MessageState
  recipient: string
  subject: string
  tags: string[]
  at: string
  /** Next attempt. `null` if the state is final. */
  nextAt: string | null
  attempts: number
  /** The last SMTP reply, or a sentence that explains the state. */
  reason: string | null
  /** Enhanced status code (RFC 3463), e.g. `5.1.1`. */
  enhanced: string | null
}

export interface AttemptEntry {
  at: string
  outcome: AttemptOutcome
  host: string | null
  /** For example `TLSv1.3`. `null`: unencrypted. */
  tls: string | null
  /** SMTP reply code (RFC 5321). `null` if no server replied. */
  code: number | null
  enhanced: string | null
  answer: string
  /** Milliseconds. */
  took: number
}

export interface MessageDetails extends MessageEntry {
  messageId: string
  senderName: string
  recipientName: string
  /** Bytes. `null` once the content is deleted. */
  size: number | null
  text: string | null
  html: string | null
  attachments: { filename: string; type: string; size: number }[]
  history: AttemptEntry[]
  events: { type: MailEventType; at: string; detail: string }[]
}

export interface DomainRecord {
  purpose: 'spf' | 'dkim' | 'dmarc' | 'return_path'
  type: 'TXT' | 'MX' | 'CNAME'
  /** Fully qualified, without a trailing dot. */
  name: string
  value: string
}

export interface DomainInfo {
  id: number
  domain: string
  state: DomainState
  records: DomainRecord[]
  keys: DkimKey[]
}

export interface SuppressionEntry {
  recipient: string
  reason: SuppressionReason
  detail: string
  messageId: string | null
  at: string
}

export interface WebhookEntry {
  id: number
  url: string
  events: MailEventType[]
  active: boolean
  waiting: number
  failed: number
}

export interface WebhookDelivery {
  /** The same in all attempts of a delivery. */
  id: string
  type: MailEventType
  at: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  nextAt: string | null
  /** Last HTTP status. `null`: no response. */
  status: number | null
  answer: string | null
}

/** A reply by email whose sender was authenticated. */
export interface ReplyMailEntry {
  id: number
  messageId: string
  sender: string
  /** Message-IDs from `In-Reply-To` and `References`, nearest ancestor first. */
  refs: string[]
  body: string
}

/** The size includes the indexes. */
export interface TableSize {
  name: string
  /** PostgreSQL's last estimate. `null` if it never made one. */
  rows: number | null
  bytes: number
  /** Retention period as text. `null` if rows live as long as their parent row. */
  kept: string | null
}

/** An email that Berth itself sends. */
export interface SystemMessage {
  /** Idempotency key: the same key returns the same message. */
  key: string
  from: string
  to: string
  subject: string
  text: string
  html: string | null
  /** Without angle brackets. Set it if replies must be matched to this email. */
  messageId?: string | null
  /** Default: `from`. */
  replyTo?: string | null
  /** Whether the content is deleted once the message has a final state. */
  secret: boolean
}

export interface PageRequest {
  limit: number
  offset: number
}

/**
 * The mail service's API for the console: `POST /control/<name>` with JSON and the header `Authorization:
 * Bearer <MAIL_CONTROL_KEY>`. An error is `{ code, message }` with an HTTP status. Every call can safely be
 * repeated.
 */
export interface ControlApi {
  /** How mail leaves (by relay, directly, or not at all and why), and where programs submit mail. */
  ways: Call<
    Nothing,
    {
      out: 'relay' | 'direct' | 'none'
      problem: string | null
      submission: { host: string; port: number }
      /** Counts of all senders. `oldestDue`: seconds that the oldest message has been overdue. */
      waiting: number
      oldestDue: number
      /** Address for replies to Berth's own emails. `null` if the service receives no mail. */
      replies: string | null
    }
  >

  tables: Call<Nothing, TableSize[]>
  /**
   * Totals of all senders. `oldestDue`: seconds that the oldest message has been overdue. `today` is in UTC.
   */
  figures: Call<
    Nothing,
    {
      waiting: number
      oldestDue: number
      today: { accepted: number; delivered: number; bounced: number; complained: number }
    }
  >

  /** Creates a sender. Returns the secret, also of an existing one. */
  makeSender: Call<{ id: number; accountId: number; email: string }, { secret: string }>
  changeSender: Call<
    { id: number; state?: SenderState; hourlyLimit?: number; trackOpens?: boolean },
    Nothing
  >
  senders: Call<{ ids: number[] }, SenderInfo[]>
  /** Replaces the secret. The old one expires after `overlap` seconds. */
  rotateSecret: Call<{ id: number; overlap: number }, { secret: string }>
  /** Accepted messages by sender and month, newest first: `{ 7: { '2026-11': 12 } }`. */
  sentCounts: Call<{ ids: number[] }, Record<string, Record<string, number>>>
  usage: Call<{ id: number; from: string; to: string }, DailyMailUsage[]>
  /** Past days of all senders: the next 1,000 rows after `after`, ordered by day and sender. */
  closedDays: Call<{ after: { day: string; senderId: number } }, DailyMailUsage[]>

  /**
   * Lists messages, newest first. `search` is part of a recipient or subject, or a complete message ID. `count`
   * is exact up to 10,000.
   */
  messages: Call<
    { senderId: number; state?: MessageState; search?: string } & PageRequest,
    { messages: MessageEntry[]; count: number }
  >
  message: Call<{ senderId: number; id: string }, MessageDetails>
  /** Cancels a queued or scheduled message. `cancelled` is false if it was too late. */
  cancelMessage: Call<{ senderId: number; id: string }, { cancelled: boolean }>
  retryMessage: Call<{ senderId: number; id: string }, { retried: boolean }>

  suppressions: Call<
    { senderId: number; search?: string } & PageRequest,
    { suppressions: SuppressionEntry[]; count: number }
  >
  suppress: Call<{ senderId: number; recipient: string; detail: string }, Nothing>
  unsuppress: Call<{ senderId: number; recipient: string }, Nothing>

  /** Creates a domain with its first DKIM key, or returns the existing one. */
  makeDomain: Call<{ id: number; accountId: number; domain: string }, DomainInfo>
  domain: Call<{ id: number }, DomainInfo>
  changeDomain: Call<{ id: number; state: DomainState }, DomainInfo>
  /**
   * `nextDkim` creates a second key. `switchDkim` signs with it and retires the old one. It fails with 409
   * `not_published` until DNS has the key.
   */
  nextDkim: Call<{ id: number }, DomainInfo>
  switchDkim: Call<{ id: number }, DomainInfo>

  webhooks: Call<{ senderId: number }, WebhookEntry[]>
  makeWebhook: Call<
    { senderId: number; url: string; events: MailEventType[] },
    { id: number; secret: string }
  >
  changeWebhook: Call<
    { senderId: number; id: number; url?: string; events?: MailEventType[]; active?: boolean },
    Nothing
  >
  removeWebhook: Call<{ senderId: number; id: number }, Nothing>
  deliveries: Call<
    { senderId: number; webhookId: number } & PageRequest,
    { deliveries: WebhookDelivery[]; count: number }
  >
  resendDelivery: Call<{ senderId: number; webhookId: number; id: string }, Nothing>

  /** Replies to Berth's own emails, oldest first. They stay until `forgetReplies` deletes them. */
  replies: Call<Nothing, ReplyMailEntry[]>
  forgetReplies: Call<{ ids: number[] }, Nothing>

  sendOwn: Call<{ messages: SystemMessage[] }, { ids: string[] }>
}
