import type { FileKind } from '#support/file_types'
import type { ConversationStatus, ConversationSide } from '#support/statuses'

export type { ConversationStatus, FileKind, ConversationSide }

declare module '#core/page_props' {
  interface Pages {
    'admin/live_support': LiveSupportPage
  }
}

/** A message as the calls answer it (product, "Live support"). */
export interface MessageView {
  id: number
  /** Its place in the conversation: 1, 2, 3, … without gaps. */
  sequence: number
  sender_id: number | null
  sender_name: string
  side: ConversationSide
  client_id: number
  /** URL-encoded, plus signs mean spaces. */
  content: string
  file_type: FileKind | null
  /** Paths, comma-separated. */
  files: string
  /** What the senders call them, in the same order. */
  names: string[]
  /** The page that the customer asks about, and what it showed then. */
  page: string | null
  about: { name: string; status: string } | null
  /** By the sender's browser. */
  key: string
  created_at: string
  temp: boolean
}

/** `message-list` */
export interface MessageList {
  /** All messages of the conversation. */
  count: number
  messages: MessageView[]
  /** The sequence up to which each side has read. */
  read: { client: number; staff: number }
  /** Why nothing can be attached now; null when it can. Customers' and staff's alike. */
  attach: string | null
}

/** A client in staff's list. */
export interface ClientRow {
  client_id: number
  name: string
  email: string
  status: ConversationStatus
  assigned_to: { id: number; name: string } | null
  unread: number
  /** Since when the customer waits for an answer. */
  waiting_since: string | null
  last_at: string
  /** The beginning of what was said last. */
  last_text: string
}

/** `client-list` */
export interface ClientList {
  page: number
  length: number
  count: number
  counts: Record<string, number>
  clients: ClientRow[]
  clientStatus: Record<string, string>
  waits: WaitTimes
}

/** How long people wait: who waits now, since when the first of them, and the answers of seven days. */
export interface WaitTimes {
  waiting: number
  longest_since: string | null
  /** Half of the answers came within so many seconds. */
  median_seconds: number | null
  answers: number
}

/** Who a client is, for staff. */
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
  /** What went wrong last, newest first. */
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

/** What was found in everything said. */
export interface MessageSearchResult {
  client_id: number
  name: string
  sequence: number
  side: ConversationSide
  text: string
  at: string
}

/** `admin/live_support` */
export interface LiveSupportPage {
  /** Opened by the address; null for none. */
  client: { client_id: number; name: string } | null
  staff: { id: number; name: string }[]
  replies: { id: number; title: string; text: string }[]
  clientStatus: Record<string, string>
}
