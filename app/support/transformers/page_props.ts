import type { FileKind } from '#support/file_types'
import type { ConversationStatus, ConversationSide } from '#support/statuses'

export type { ConversationStatus, FileKind, ConversationSide }

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/live_support': LiveSupportPage
  }
}

export interface MessageView {
  id: number
  /** Number of the message within the conversation: 1, 2, 3, … without gaps. */
  sequence: number
  sender_id: number | null
  sender_name: string
  side: ConversationSide
  client_id: number
  /** Text, URL-encoded; a plus sign means a space. */
  content: string
  file_type: FileKind | null
  /** Comma-separated paths of the message's files. */
  files: string
  names: string[]
  page: string | null
  about: { name: string; status: string } | null
  /** Idempotency key that the sender's browser chose. */
  key: string
  created_at: string
  temp: boolean
}

/** Response of `GET /live-support/message-list`. */
export interface MessageList {
  count: number
  messages: MessageView[]
  /** Sequence number of the last message that each side has read. */
  read: { client: number; staff: number }
  /** Reason why files cannot be attached; null if they can. */
  attach: string | null
}

export interface ClientRow {
  client_id: number
  name: string
  email: string
  status: ConversationStatus
  assigned_to: { id: number; name: string } | null
  unread: number
  waiting_since: string | null
  last_at: string
  /** Beginning of the last message's text, or `Attachment`. */
  last_text: string
}

/** Response of `GET /admin/live-support/client-list`. */
export interface ClientList {
  page: number
  length: number
  count: number
  counts: Record<string, number>
  clients: ClientRow[]
  clientStatus: Record<string, string>
  waits: WaitTimes
}

/** How long customers wait for replies. `answers`: number of replies in the last seven days. */
export interface WaitTimes {
  waiting: number
  longest_since: string | null
  /** Median response time in seconds. */
  median_seconds: number | null
  answers: number
}

export interface ClientDetails {
  client_id: number
  name: string
  email: string
  since: string
  accounts: {
    id: number
    name: string
    status: string
    role: string
    things: {
      label: string
      things: { id: number; name: string; status: string; href: string }[]
    }[]
  }[]
  /** The latest failed or stuck operations, at most five, newest first. */
  failures: {
    id: string
    title: string
    error: string
    at: string
    subject: { type: string; id: string }
  }[]
  status: ConversationStatus
  assigned_to: { id: number; name: string } | null
  waiting_since: string | null
  notes: { id: number; author: string; text: string; at: string }[]
}

export interface MessageSearchResult {
  client_id: number
  name: string
  sequence: number
  side: ConversationSide
  text: string
  at: string
}

export interface LiveSupportPage {
  client: { client_id: number; name: string } | null
  staff: { id: number; name: string }[]
  replies: { id: number; title: string; text: string }[]
  clientStatus: Record<string, string>
}
