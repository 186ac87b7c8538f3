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

/** A sender as the console (Berth's web application) shows it. Times in this file are ISO 8601. */
export interface SenderInfo {
  id: number
  state: SenderState
  hourlyLimit: number
  /** Whether a tracking pixel in the HTML part reports that a recipient opened the message. Default off. */
  trackOpens: boolean
  /** `waiting`: number of messages without a final state. `scheduled`: how many of them are to be sent later. */
  waiting: number
  scheduled: number
  /** Counts since the start of the current month in UTC. */
  month: { accepted: number; delivered: number; bounced: number; complained: number }
}

/** Counts of one day in UTC. */
export interface DailyMailUsage {
  senderId: number
  accountId: number
  /** Day such as `2026-11-23`. */
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
  /** Time of the next attempt. `null` if the state is final. */
  nextAt: string | null
  attempts: number
  /** The last SMTP reply, or a sentence that explains the message's state. */
  reason: string | null
  /** Enhanced status code (RFC 3463), such as `5.1.1`. */
  enhanced: string | null
}

export interface AttemptEntry {
  at: string
  outcome: AttemptOutcome
  host: string | null
  /** TLS version of the connection, such as `TLSv1.3`. `null` if it was unencrypted. */
  tls: string | null
  /** SMTP reply code (RFC 5321). `null` if no server replied to the attempt. */
  code: number | null
  enhanced: string | null
  answer: string
  /** Duration in milliseconds. */
  took: number
}

export interface MessageDetails extends MessageEntry {
  messageId: string
  senderName: string
  recipientName: string
  /** Size of the message in bytes. `null` if its content is secret or was deleted. */
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
  /** Full DNS name without a trailing dot. */
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
  /** ID of the delivery, the same for all its attempts. */
  id: string
  type: MailEventType
  at: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  nextAt: string | null
  /** HTTP status of the last response. `null` if there was none. */
  status: number | null
  answer: string | null
}

/** A reply by email whose sender was authenticated. */
export interface ReplyMailEntry {
  id: number
  messageId: string
  sender: string
  /**
   * Message-IDs in `In-Reply-To` and `References`: first that of the email that the reply answers, then that of the
   * email before, and so on.
   */
  refs: string[]
  body: string
}

/** Size of a database table, including its indexes. */
export interface TableSize {
  name: string
  /** PostgreSQL's last estimate of the number of rows. `null` if there is none. */
  rows: number | null
  bytes: number
  /** How long rows are kept, as text. `null` if rows are not deleted after a fixed time. */
  kept: string | null
}

export interface SystemMessage {
  /** Idempotency key. A repeated call with the same key returns the message of the first call. */
  key: string
  from: string
  to: string
  subject: string
  text: string
  html: string | null
  /** Message-ID without angle brackets. Set it if replies must be matched to this email. */
  messageId?: string | null
  /** Default: `from`. */
  replyTo?: string | null
  /** Whether the content is deleted when the message reaches a final state. */
  secret: boolean
}

export interface PageRequest {
  limit: number
  offset: number
}

/**
 * The mail service's control API, which the console (Berth's web application) calls: `POST /control/<name>` with JSON
 * and the header `Authorization: Bearer <MAIL_CONTROL_KEY>`. An error is `{ code, message }` with an HTTP status. Calls
 * may be repeated, except `makeWebhook` and `rotateSecret`, which create something new each time, and `resendDelivery`,
 * which may send again.
 */
export interface ControlApi {
  /**
   * Returns how mail is sent (`problem`: why none is sent), and the host and port to which programs submit mail by
   * SMTP.
   */
  ways: Call<
    Nothing,
    {
      out: 'relay' | 'direct' | 'none'
      problem: string | null
      submission: { host: string; port: number }
      /** Number of waiting messages of all senders. `oldestDue`: seconds since the oldest of them became due. */
      waiting: number
      oldestDue: number
      /** Address that receives replies to Berth's own emails. `null` if the service receives no mail. */
      replies: string | null
    }
  >

  tables: Call<Nothing, TableSize[]>
  /** Totals of all senders. `oldestDue`: seconds since the oldest waiting message became due. `today` is in UTC. */
  figures: Call<
    Nothing,
    {
      waiting: number
      oldestDue: number
      today: { accepted: number; delivered: number; bounced: number; complained: number }
    }
  >

  /** Creates a sender and returns its secret. If the sender already exists, returns the existing secret. */
  makeSender: Call<{ id: number; accountId: number; email: string }, { secret: string }>
  changeSender: Call<
    { id: number; state?: SenderState; hourlyLimit?: number; trackOpens?: boolean },
    Nothing
  >
  senders: Call<{ ids: number[] }, SenderInfo[]>
  /** Replaces the secret. The old one expires after `overlap` seconds. */
  rotateSecret: Call<{ id: number; overlap: number }, { secret: string }>
  /** Counts accepted messages by sender and month, newest first: `{ 7: { '2026-11': 12 } }`. */
  sentCounts: Call<{ ids: number[] }, Record<string, Record<string, number>>>
  usage: Call<{ id: number; from: string; to: string }, DailyMailUsage[]>
  /**
   * Lists completed days of all senders except Berth itself: up to 1,000 rows after the row `after`, ordered by day and
   * sender.
   */
  closedDays: Call<{ after: { day: string; senderId: number } }, DailyMailUsage[]>

  /**
   * Lists messages, newest first. `search` matches part of a recipient or subject, or a complete message ID.
   * `count` is exact up to 10,000.
   */
  messages: Call<
    { senderId: number; state?: MessageState; search?: string } & PageRequest,
    { messages: MessageEntry[]; count: number }
  >
  message: Call<{ senderId: number; id: string }, MessageDetails>
  /** `cancelled` is false if the message is not queued or scheduled: an attempt is running, or the state is final. */
  cancelMessage: Call<{ senderId: number; id: string }, { cancelled: boolean }>
  retryMessage: Call<{ senderId: number; id: string }, { retried: boolean }>

  suppressions: Call<
    { senderId: number; search?: string } & PageRequest,
    { suppressions: SuppressionEntry[]; count: number }
  >
  suppress: Call<{ senderId: number; recipient: string; detail: string }, Nothing>
  unsuppress: Call<{ senderId: number; recipient: string }, Nothing>

  /** Creates a domain with its first DKIM key, or returns the existing domain. */
  makeDomain: Call<{ id: number; accountId: number; domain: string }, DomainInfo>
  domain: Call<{ id: number }, DomainInfo>
  changeDomain: Call<{ id: number; state: DomainState }, DomainInfo>
  /**
   * `nextDkim` creates a second DKIM key for the domain. `switchDkim` makes the service sign with the second key from
   * now on, and retires the first. It fails with 409 `not_published` until the second key is in DNS.
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

  /**
   * Lists the 100 oldest stored replies to Berth's own emails, oldest first. The service keeps them until
   * `forgetReplies` deletes them.
   */
  replies: Call<Nothing, ReplyMailEntry[]>
  forgetReplies: Call<{ ids: number[] }, Nothing>

  sendOwn: Call<{ messages: SystemMessage[] }, { ids: string[] }>
}
