import { isSignedOut, reportSignedOut } from '~/signed_out'
import type { NonGetRoutePath, GetRoutePath } from '#core/page_addresses'
import { call, xsrfToken, type CallResult } from '~/api_call'
import type { AreaPrefix } from '~/area_prefix'
import {
  saveUnsentMessages,
  loadUnsentMessages,
  storageKeyFor,
  type UnsentMessage,
} from './unsent_messages'
import type { MessageList, MessageView } from './types'

export type { UnsentMessage }

/** Interval of polls. They find messages for which no event arrived. */
export const POLL_INTERVAL_MS = 10_000
export const MESSAGES_PER_PAGE = 100
/** Maximum that the server allows. */
const MAX_MESSAGES_PER_PAGE = 500
const TYPING_SHOWN_MS = 6_000
const TYPING_REPORT_INTERVAL_MS = 2_500

export interface ConversationState {
  /** Sorted by sequence number. No message between the first and the last is missing. */
  messages: MessageView[]
  pending: UnsentMessage[]
  draft: string
  count: number
  read: MessageList['read']
  attach: string | null
  problem: string | null
  loaded: boolean
  /** The person who is typing now: the other side, or another staff member. */
  typing: { side: string; person: number } | null
}

export interface ConversationOptions {
  prefix: AreaPrefix
  me: number
  /** ID of the customer whose conversation this is. */
  client: number
}

/** Contains at most one store for each conversation, so that a pending message is sent only once. */
const activeStores = new Map<string, ConversationStore>()

export function getOrCreateConversationStore(options: ConversationOptions): ConversationStore {
  return activeStores.get(storageKeyFor(options)) ?? new ConversationStore(options)
}

/**
 * State of a conversation. Events and polls only signal that there may be new messages. The store then requests all
 * messages after its last one, so it misses and repeats none. Local storage keeps drafts and pending messages until
 * the server has them. Each message has a key, by which the server recognises a repeated message.
 */
export class ConversationStore {
  #state: ConversationState
  #watchers = new Set<() => void>()
  #tags = new Map<string, string>()
  #looking: Promise<void> | null = null
  #again = false
  #sending = false
  /** Keys of messages that this round of sending has already tried to send. */
  readonly #tried = new Set<string>()
  /** Keys of messages whose last attempt failed temporarily. They are retried automatically. */
  readonly #away = new Set<string>()
  /** Number of components that show this conversation. */
  #shown = 0
  /** Number of components that send this conversation's pending messages. */
  #senders = 0
  #dots: number | undefined
  #notifiedAt = 0
  #marked = 0
  readonly #key: string

  constructor(readonly options: ConversationOptions) {
    this.#key = storageKeyFor(options)
    const { draft, pending } = loadUnsentMessages(this.#key)
    this.#state = {
      messages: [],
      pending,
      draft,
      count: 0,
      read: { client: 0, staff: 0 },
      attach: null,
      problem: null,
      loaded: false,
      typing: null,
    }
  }

  readonly state = () => this.#state

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /**
   * Fetches new messages now, every 10 s while the page is visible, when it becomes visible and when the network
   * returns. Returns a function that ends this.
   */
  start(): () => void {
    this.#shown += 1
    const leave = this.#use()
    const look = () => {
      if (!document.hidden) void this.fetchNewMessages()
    }
    const online = () => void this.fetchNewMessages()
    const timer = window.setInterval(look, POLL_INTERVAL_MS)
    document.addEventListener('visibilitychange', look)
    window.addEventListener('online', online)
    void this.fetchNewMessages()
    return () => {
      this.#shown -= 1
      window.clearInterval(timer)
      window.clearTimeout(this.#dots)
      if (this.#state.typing) this.#change({ typing: null })
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('online', online)
      leave()
    }
  }

  /**
   * Sends pending messages now, every 10 s and when the network returns, even if no conversation is shown. Returns a
   * function that ends this.
   */
  deliver(): () => void {
    const send = () => void this.#send()
    const leave = this.#use()
    const timer = window.setInterval(send, POLL_INTERVAL_MS)
    window.addEventListener('online', send)
    send()
    return () => {
      window.clearInterval(timer)
      window.removeEventListener('online', send)
      leave()
    }
  }

  #use(): () => void {
    this.#senders += 1
    activeStores.set(this.#key, this)
    return () => {
      this.#senders -= 1
      this.#forget()
    }
  }

  /**
   * Removes an unused store from the map. If a message is being sent, keeps it, because a new store would send the
   * message again.
   */
  #forget() {
    if (this.#senders > 0 || this.#sending || activeStores.get(this.#key) !== this) return
    activeStores.delete(this.#key)
  }

  /** Fetches new messages, then sends pending ones. */
  fetchNewMessages(): Promise<void> {
    if (this.#looking) {
      this.#again = true
      return this.#looking
    }
    const run = async () => {
      do {
        this.#again = false
        await this.#read()
      } while (this.#again && this.#shown > 0)
    }
    this.#looking = run().finally(() => {
      this.#looking = null
      void this.#send()
    })
    return this.#looking
  }

  /** Returns false if there are no earlier messages or the request failed. */
  async earlier(limit = MESSAGES_PER_PAGE): Promise<boolean> {
    const [first] = this.#state.messages
    if (!first || first.sequence <= 1) return false
    const length = Math.min(limit, first.sequence - 1)
    const list = await this.#list({ length, after: first.sequence - length - 1 })
    if (!list) return false
    // Another request may have loaded some of these messages already.
    const shown = this.#state.messages[0].sequence
    const messages = list.messages.filter(({ sequence }) => sequence < shown)
    this.#change({ messages: [...messages, ...this.#state.messages], problem: null })
    return true
  }

  async loadUntil(sequence: number): Promise<void> {
    while (this.#shown > 0 && this.#state.messages[0]?.sequence > sequence) {
      if (!(await this.earlier(MAX_MESSAGES_PER_PAGE))) return
    }
  }

  write(draft: string) {
    this.#change({ draft })
    this.#keep()
    if (!draft || Date.now() - this.#notifiedAt < TYPING_REPORT_INTERVAL_MS) return
    this.#notifiedAt = Date.now()
    void this.#postStatus('/live-support/typing', {})
  }

  send(sent: {
    text?: string
    photos?: string
    docs?: string
    names?: string[]
    page?: string | null
  }) {
    const { text = '', photos = '', docs = '', names = [], page = null } = sent
    if (!photos && !docs && !/\S/u.test(text)) return
    const key = generateUuid()
    const one: UnsentMessage = {
      key,
      text,
      photos,
      docs,
      names,
      page,
      state: 'sending',
      problem: '',
    }
    this.#change({ pending: [...this.#state.pending, one], ...(text && { draft: '' }) })
    this.#notifiedAt = 0
    this.#keep()
    void this.#send()
  }

  retry(key: string) {
    this.#tried.delete(key)
    this.#changeOne(key, { state: 'sending', problem: '' })
    void this.#send()
  }

  discard(key: string) {
    this.#change({ pending: this.#state.pending.filter((one) => one.key !== key) })
    this.#keep()
    void this.#send()
  }

  markRead() {
    const own = this.options.prefix ? 'staff' : 'client'
    const last = this.#state.messages.findLast(({ side }) => side !== own)
    if (!last || last.sequence <= Math.max(this.#state.read[own], this.#marked)) return
    this.#marked = last.sequence
    const marked = { ...this.#state.read, [own]: last.sequence }
    void this.#postStatus('/live-support/read', { sequence: last.sequence }).then(({ success }) => {
      if (success) this.#change({ read: marked })
      else this.#marked = 0
    })
  }

  showTyping(side: string, person: number) {
    const own = this.options.prefix ? 'staff' : 'client'
    if (person === this.options.me || (side === own && own === 'client')) return
    window.clearTimeout(this.#dots)
    this.#dots = window.setTimeout(() => this.#change({ typing: null }), TYPING_SHOWN_MS)
    this.#change({ typing: { side, person } })
  }

  #postStatus(path: '/live-support/typing' | '/live-support/read', data: Record<string, unknown>) {
    const address = `${this.options.prefix}${path}` as NonGetRoutePath
    const body = { client_id: this.options.client, ...data }
    return call(address, { data: body, toasts: 'none' })
  }

  async #read(): Promise<void> {
    for (;;) {
      const last = this.#state.messages.at(-1)?.sequence
      const list = await this.#list({ length: MESSAGES_PER_PAGE, after: last })
      if (!list || this.#shown === 0) return
      // Responses of `send` may have added some of these messages already.
      const shown = this.#state.messages.at(-1)?.sequence ?? 0
      this.#take(
        list.messages.filter(({ sequence }) => sequence > shown),
        list
      )
      if (last === undefined || list.messages.length < MESSAGES_PER_PAGE) return
    }
  }

  #take(fresh: MessageView[], { count, read, attach }: Omit<MessageList, 'messages'>) {
    const known = new Set(fresh.map(({ key }) => key))
    const pending = this.#state.pending.filter(({ key }) => !known.has(key))
    const own = this.options.prefix ? 'staff' : 'client'
    const answered = fresh.some(({ side, sender_id: id }) => side !== own || id !== this.options.me)
    this.#change({
      count,
      read,
      attach,
      pending,
      problem: null,
      loaded: true,
      messages: fresh.length ? [...this.#state.messages, ...fresh] : this.#state.messages,
      ...(answered && { typing: null }),
    })
    if (known.size) this.#keep()
  }

  /** Returns null if nothing changed, the request failed or the person is signed out. */
  async #list(query: { length: number; after?: number }): Promise<MessageList | null> {
    const parameters = new URLSearchParams({ page: '1', length: String(query.length) })
    if (isSignedOut()) return null
    if (query.after !== undefined) parameters.set('after', String(query.after))
    parameters.set('client_id', String(this.options.client))
    const address = `${this.options.prefix}/live-support/message-list?${parameters}` as GetRoutePath
    const tag = this.#tags.get(address)
    try {
      const token = xsrfToken()
      const response = await fetch(address, {
        credentials: 'same-origin',
        headers: {
          Accept: 'application/json',
          'X-Requested-With': 'XMLHttpRequest',
          ...(token && { 'X-XSRF-TOKEN': token }),
          ...(tag && { 'If-None-Match': tag }),
        },
      })
      if (response.status === 304) {
        if (this.#state.problem) this.#change({ problem: null })
        return null
      }
      if (response.status === 401) return this.#signedOut()
      const body = (await response.json()) as {
        success: boolean
        message?: string
        data?: MessageList
      }
      if (!body.success || !body.data) throw new Error(body.message)
      this.#tags = new Map([[address, response.headers.get('etag') ?? '']])
      return body.data
    } catch {
      this.#change({ problem: 'Messages could not be loaded. Your input is still here.' })
      return null
    }
  }

  #signedOut(): null {
    // The specification requires this alert only when a signed-out person opens the chat, not for later failures.
    const isOpening = this.#shown > 0 && !this.#state.loaded && !isSignedOut()
    if (isOpening && this.#state.problem !== LOGIN_FIRST_MESSAGE) window.alert(LOGIN_FIRST_MESSAGE)
    this.#change({ problem: LOGIN_FIRST_MESSAGE })
    reportSignedOut()
    return null
  }

  /** Sends pending messages one at a time, in the order in which they were typed. */
  async #send(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    this.#tried.clear()
    try {
      for (;;) {
        const next = this.#state.pending.find(
          ({ key, state }) => !this.#tried.has(key) && (state === 'sending' || this.#away.has(key))
        )
        if (!next || this.#senders === 0) return
        this.#tried.add(next.key)
        const result = await this.#post(next)
        if (result.success && result.data) {
          this.#change({ pending: this.#state.pending.filter(({ key }) => key !== next.key) })
          this.#arrive(result.data.message)
          this.#keep()
          continue
        }
        if (result.status === 401) this.#signedOut()
        this.#changeOne(next.key, { state: 'failed', problem: result.message })
        // If this failure is temporary, the following messages wait, to keep the order. A rejected message does not
        // block them.
        if (isTemporaryFailure(result.status)) {
          this.#away.add(next.key)
          return
        }
        this.#away.delete(next.key)
      }
    } finally {
      this.#sending = false
      this.#forget()
    }
  }

  #post({
    key,
    text,
    photos,
    docs,
    page,
  }: UnsentMessage): Promise<CallResult<{ message: MessageView }>> {
    const { prefix, me, client } = this.options
    const content = photos ? { photos } : docs ? { docs } : { text }
    return call(`${prefix}/live-support/send-message`, {
      data: { sender_id: me, client_id: client, ...content, key, ...(page && { page }) },
      toasts: 'none',
    })
  }

  /** Adds a sent message to the list. Fetches the messages before it if some are missing. */
  #arrive(message: MessageView) {
    if (this.#shown === 0) return
    const last = this.#state.messages.at(-1)?.sequence ?? 0
    if (message.sequence === last + 1) {
      this.#change({ messages: [...this.#state.messages, message], count: message.sequence })
    } else if (message.sequence > last) void this.fetchNewMessages()
  }

  #changeOne(key: string, change: Partial<UnsentMessage>) {
    const pending = this.#state.pending.map((one) =>
      one.key === key ? { ...one, ...change } : one
    )
    this.#change({ pending })
  }

  #change(change: Partial<ConversationState>) {
    this.#state = { ...this.#state, ...change }
    for (const watcher of this.#watchers) watcher()
  }

  #keep() {
    const { draft, pending } = this.#state
    saveUnsentMessages(this.#key, { draft, pending })
  }
}

const LOGIN_FIRST_MESSAGE = 'Login first'
/** Returns whether a retry helps: after a network failure (0), a rate limit, a server error or a sign-out. */
const isTemporaryFailure = (status: number) =>
  status === 0 || status === 429 || status >= 500 || status === 401

function generateUuid(): string {
  // Browsers have no `randomUUID` on plain-http pages.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5')
}
