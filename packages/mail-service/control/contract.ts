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

/** A sender for pages of the console. Times here are ISO 8601. */
export interface SenderInfo {
  id: number
  state: SenderState
  /** Messages an hour at most. */
  hourlyLimit: number
  /** Opening is told by a picture in the HTML part. Off unless its owner wants it. */
  trackOpens: boolean
  /** Messages that are not final, and those of them whose time has not come. */
  waiting: number
  scheduled: number
  /** This calendar month (UTC). */
  month: { accepted: number; delivered: number; bounced: number; complained: number }
}

/** Of a sender or of all, on a day (UTC). */
export interface DailyMailUsage {
  senderId: number
  accountId: number
  /** `2026-11-23`. */
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
  /** When it is tried next; null where it is final. */
  nextAt: string | null
  attempts: number
  /** The last answer, or why it is as it is, in words. */
  reason: string | null
  /** Enhanced status code (RFC 3463), e.g. `5.1.1`. */
  enhanced: string | null
}

export interface AttemptEntry {
  at: string
  outcome: AttemptOutcome
  /** The server that was asked, with its address. */
  host: string | null
  /** Negotiated protocol, e.g. `TLSv1.3`; null: in clear. */
  tls: string | null
  /** SMTP code (RFC 5321); null where no server answered. */
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
  /** Bytes; null once the content is pruned. */
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
  /** Whole name, without a dot at its end. */
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
  /** Deliveries that wait, and those that were given up. */
  waiting: number
  failed: number
}

export interface WebhookDelivery {
  /** The same however often it is sent. */
  id: string
  type: MailEventType
  at: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  nextAt: string | null
  /** Status of the last answer; null where none came. */
  status: number | null
  answer: string | null
}

/** An answer by mail, its sender proven. */
export interface ReplyMailEntry {
  id: number
  messageId: string
  sender: string
  /** The Message-IDs that it names, the nearest first. */
  refs: string[]
  body: string
}

/** A table of the service with its indexes. */
export interface TableSize {
  name: string
  /** About: as PostgreSQL last estimated it; null where it never did. */
  rows: number | null
  bytes: number
  /** For how long its rows stay, in words; null: until what they belong to goes. */
  kept: string | null
}

/** A message of the product itself. */
export interface SystemMessage {
  /** The same key again gives the same message. */
  key: string
  from: string
  to: string
  subject: string
  text: string
  html: string | null
  /** Without angle brackets, where answers must find what they are about. */
  messageId?: string | null
  /** Where answers go; to `from` unless told. */
  replyTo?: string | null
  /** Words are forgotten once it is final. */
  secret: boolean
}

export interface PageRequest {
  limit: number
  offset: number
}

/**
 * What the console asks of the mail service: `POST /control/<name>` with JSON and the header
 * `Authorization: Bearer <MAIL_CONTROL_KEY>`. A refusal is `{ code, message }` with its status.
 * Every call can be sent again.
 */
export interface ControlApi {
  /** How mail leaves: a relay, directly to the recipients' servers, or not at all, with the reason. And how senders reach the service. */
  ways: Call<
    Nothing,
    {
      out: 'relay' | 'direct' | 'none'
      problem: string | null
      submission: { host: string; port: number }
      /** Messages of all senders that wait, and how long the oldest due one has, seconds. */
      waiting: number
      oldestDue: number
      /** Where answers to the product's own mails go; null where nothing is taken in. */
      replies: string | null
    }
  >

  /** The largest first. */
  tables: Call<Nothing, TableSize[]>
  /** Of all senders: what is not final, how long the oldest due one has waited (seconds), and what became of the mails of this day (UTC). */
  figures: Call<
    Nothing,
    {
      waiting: number
      oldestDue: number
      today: { accepted: number; delivered: number; bounced: number; complained: number }
    }
  >

  /** Makes it, or gives the secret of the one that is there. */
  makeSender: Call<{ id: number; accountId: number; email: string }, { secret: string }>
  changeSender: Call<
    { id: number; state?: SenderState; hourlyLimit?: number; trackOpens?: boolean },
    Nothing
  >
  senders: Call<{ ids: number[] }, SenderInfo[]>
  /** A new secret; the old one ends after `overlap` seconds. */
  rotateSecret: Call<{ id: number; overlap: number }, { secret: string }>
  /** By sender, accepted messages of each month, newest first: `{ 7: { '2026-11': 12 } }`. */
  sentCounts: Call<{ ids: number[] }, Record<string, Record<string, number>>>
  usage: Call<{ id: number; from: string; to: string }, DailyMailUsage[]>
  /** Days that are over, of all senders: 1,000 after that day and sender, in their order. */
  closedDays: Call<{ after: { day: string; senderId: number } }, DailyMailUsage[]>

  /** Newest first. `search`: part of a recipient or subject, or a whole message id. `count` is exact up to 10,000. */
  messages: Call<
    { senderId: number; state?: MessageState; search?: string } & PageRequest,
    { messages: MessageEntry[]; count: number }
  >
  message: Call<{ senderId: number; id: string }, MessageDetails>
  /** What waits or is scheduled; gives whether it was still possible. */
  cancelMessage: Call<{ senderId: number; id: string }, { cancelled: boolean }>
  /** What waits is tried now. */
  retryMessage: Call<{ senderId: number; id: string }, { retried: boolean }>

  suppressions: Call<
    { senderId: number; search?: string } & PageRequest,
    { suppressions: SuppressionEntry[]; count: number }
  >
  suppress: Call<{ senderId: number; recipient: string; detail: string }, Nothing>
  unsuppress: Call<{ senderId: number; recipient: string }, Nothing>

  /** Makes it with its first DKIM key, or gives the one that is there. */
  makeDomain: Call<{ id: number; accountId: number; domain: string }, DomainInfo>
  domain: Call<{ id: number }, DomainInfo>
  changeDomain: Call<{ id: number; state: DomainState }, DomainInfo>
  /** A second key to publish; `switchDkim` makes it sign and retires the other, and refuses where it is not there. */
  nextDkim: Call<{ id: number }, DomainInfo>
  switchDkim: Call<{ id: number }, DomainInfo>

  webhooks: Call<{ senderId: number }, WebhookEntry[]>
  /** The secret is told here only. */
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

  /** Answers to the product's mails, the oldest first; they stay until they are forgotten. */
  replies: Call<Nothing, ReplyMailEntry[]>
  forgetReplies: Call<{ ids: number[] }, Nothing>

  /** The product's own mail. */
  sendOwn: Call<{ messages: SystemMessage[] }, { ids: string[] }>
}
