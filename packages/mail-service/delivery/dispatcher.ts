import { setTimeout as wait } from 'node:timers/promises'
import type { AttemptResult, SendError } from './attempt_result.js'
import { sanitizeLine } from '../../service/sanitize_line.js'
import { attemptResultOfError } from './attempt_result.js'
import {
  SENDER_PAUSED_REASON,
  type ClaimedMessage,
  type MessageClaims,
  type DestinationQuotas,
} from './message_claims.js'
import { ServerConnection, type RelayServer } from './connection.js'
import { Destination, INITIAL_QUOTA } from './destination.js'
import { ServerQueue, MAX_QUEUED_MESSAGES } from './server_queue.js'
import type { MessagePreparer } from './prepare_messages.js'
import type { DeliveryOutcome, OutcomeWriter } from './outcome_writer.js'
import { NoMailRouteError, type MailRoute } from './mail_route.js'
import { nextAttemptAt } from './retry_schedule.js'

const CLAIM_ROWS = 500
const MAX_CONNECTIONS = 200
/** Maximum number of connections to servers that have not responded to a message yet, because all of them may hang. */
const MAX_UNPROVEN_CONNECTIONS = 100
/** Maximum messages that a queue sends on a connection while other queues wait for one. */
const MESSAGES_PER_TURN = 100
const PREFETCHED_MESSAGES = 20
const POLL_INTERVAL_MS = 5_000
/** Poll interval while some due messages cannot be sent yet because of limits, and after a database error. */
const BUSY_POLL_INTERVAL_MS = 1_000
/** Time for which messages of a paused sender are postponed. If the pause ends earlier, they become due immediately. */
const PAUSED_HOLD_MS = 3_600_000
const MS_PER_DAY = 86_400_000
const STOP_TIMEOUT_MS = 10_000

export interface DispatcherDeps {
  claims: MessageClaims
  outcomes: OutcomeWriter
  letters: MessagePreparer
  /** Relay that sends all mail. Without a relay, `route` finds the mail servers of each recipient. */
  relay?: RelayServer
  route: (destination: string) => Promise<MailRoute>
  host?: string
  connections: number
  /** Time for which a message stays leased to this process, in milliseconds. */
  lease: number
  now: () => Date
  log: (entry: object) => void
}

/** Sends due messages: leases them, adds each to the queue of its destination server, and stores the outcomes. */
export class DeliveryDispatcher {
  readonly #destinations = new Map<string, Destination>()
  readonly #queues = new Map<string, ServerQueue>()
  readonly #held = new Map<string, ClaimedMessage>()
  #paused?: Set<number>
  readonly #lines = new Set<ServerConnection>()
  #blocked = new Set<ServerQueue>()
  #running = 0
  #unproven = 0
  #stopped = false
  #awake = false
  #wakeUp: () => void = () => {}
  #loop: Promise<void>
  readonly #renewing: NodeJS.Timeout

  readonly #parts: DispatcherDeps

  constructor(parts: DispatcherDeps) {
    this.#parts = parts

    this.#renewing = setInterval(() => void this.#renew(), parts.lease / 3)
    this.#renewing.unref()
    this.#loop = this.#run()
  }

  wake(): void {
    this.#awake = true
    this.#wakeUp()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.wake()
    await this.#loop
    for (const queue of this.#queues.values()) {
      for (const message of queue.waiting.splice(0)) void this.#release(message, this.#parts.now())
    }
    const late = new AbortController()
    const done = async () => {
      while (this.#held.size > 0 && !late.signal.aborted) await wait(20)
    }
    const timer = setTimeout(() => late.abort(), STOP_TIMEOUT_MS)
    await done()
    clearTimeout(timer)
    clearInterval(this.#renewing)
    for (const queue of this.#queues.values()) queue.close()
    for (const line of this.#lines) line.close()
    await this.#parts.outcomes.stop()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#awake = false
      let pause = POLL_INTERVAL_MS
      try {
        await this.#resume()
        const claimed = await this.#claim()
        pause = claimed >= CLAIM_ROWS ? 0 : await this.#untilDue()
      } catch (error) {
        this.#parts.log({ level: 40, msg: 'due messages could not be claimed', err: String(error) })
        pause = BUSY_POLL_INTERVAL_MS
      }
      if (pause > 0 && !this.#awake && !this.#stopped) await this.#sleep(pause)
    }
  }

  /**
   * Makes postponed messages due again if their senders may send. The first call loads all paused senders, because
   * another process may have postponed their messages.
   */
  async #resume(): Promise<void> {
    const { claims } = this.#parts
    this.#paused ??= new Set(await claims.paused())
    if (this.#paused.size === 0) return
    const pausedSenders = [...this.#paused]
    const still = new Set(await claims.resume(pausedSenders))
    for (const sender of pausedSenders) if (!still.has(sender)) this.#paused.delete(sender)
  }

  /**
   * Returns the milliseconds until the next message is due, at most `POLL_INTERVAL_MS`. Returns one second if a message
   * is already due but cannot be sent yet.
   */
  async #untilDue(): Promise<number> {
    const due = await this.#parts.claims.nextDue()
    if (!due) return POLL_INTERVAL_MS
    const left = due.getTime() - this.#parts.now().getTime()
    return left > 0 ? Math.min(left, POLL_INTERVAL_MS) : BUSY_POLL_INTERVAL_MS
  }

  async #sleep(pause: number): Promise<void> {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, pause)
      this.#wakeUp = () => {
        clearTimeout(timer)
        done()
      }
    })
    this.#wakeUp = () => {}
  }

  async #claim(): Promise<number> {
    const now = this.#parts.now()
    const quotas: DestinationQuotas = new Map()
    let limit = CLAIM_ROWS
    let others = INITIAL_QUOTA
    if (this.#parts.relay) {
      limit = Math.min(CLAIM_ROWS, this.#queueOf('relay').quota(now))
      others = limit
    } else {
      this.#tidy(now)
      for (const [name, destination] of this.#destinations) {
        quotas.set(name, destination.quota(now))
      }
    }
    if (limit === 0) return 0
    const rows = await this.#parts.claims.claim(limit, quotas, others)
    for (const row of rows) this.#held.set(row.id, row)
    for (const row of rows) this.#take(row, now)
    return this.#parts.relay && rows.length === limit ? CLAIM_ROWS : rows.length
  }

  #take(message: ClaimedMessage, now: Date): void {
    const { sender_state: state, sender_id: sender } = message
    if (message.suppressed) return this.#end(message, 'suppressed', 'The recipient is suppressed')
    if (sender !== 0 && (state === null || state === 'deleted')) {
      return this.#end(message, 'cancelled', 'The sender is deleted')
    }
    if (state === 'paused' || state === 'suspended') {
      this.#paused?.add(sender)
      const later = {
        next_at: add(now, PAUSED_HOLD_MS),
        expires_at: add(now, MS_PER_DAY),
        reason: SENDER_PAUSED_REASON,
      }
      return void this.#write(message, { id: message.id, state: 'queued', ...later })
    }
    if (this.#parts.relay) return this.#enter(message, this.#queueOf('relay'))
    void this.#direct(message)
  }

  async #direct(message: ClaimedMessage): Promise<void> {
    const { destination: name } = message
    const destination = this.#destinations.get(name) ?? new Destination()
    this.#destinations.set(name, destination)
    destination.held++
    try {
      const now = this.#parts.now()
      if (destination.isDown(now)) {
        return await this.#release(message, destination.until, destination.problem)
      }
      const route = await destination.route(now, () => this.#parts.route(name))
      destination.queue = this.#queueOf(route.key)
      this.#enter(message, destination.queue, route)
    } catch (error) {
      await this.#lost(message, destination, error as Error)
    } finally {
      destination.held--
    }
  }

  /**
   * Handles a failed look-up of the mail route. If the domain can never receive mail, the message bounces. Otherwise
   * the failure is our own problem, and the message is retried.
   */
  async #lost(message: ClaimedMessage, destination: Destination, error: Error): Promise<void> {
    const now = this.#parts.now()
    const result = { host: null, tls: null, code: null, took: 0, hard: false, broken: false }
    if (error instanceof NoMailRouteError) {
      const { enhanced, message: answer } = error
      return this.#settle(message, { ...result, outcome: 'refused', enhanced, answer })
    }
    const answer = sanitizeLine(
      `The mail servers of the recipient domain could not be looked up: ${error.message}`
    )
    if (destination.isDown(now)) return this.#release(message, destination.until, answer)
    destination.failed(now, answer)
    return this.#settle(message, { ...result, outcome: 'fault', enhanced: null, answer })
  }

  readonly #routes = new Map<string, MailRoute>()

  #enter(message: ClaimedMessage, queue: ServerQueue, route?: MailRoute): void {
    if (route) this.#routes.set(message.id, route)
    queue.waiting.push(message)
    this.#pump(queue)
  }

  #pump(queue: ServerQueue): void {
    while (queue.waiting.length > 0 && queue.running < queue.limit && !this.#stopped) {
      const unproven = !queue.proven && !this.#parts.relay
      if (
        this.#running >= MAX_CONNECTIONS ||
        (unproven && this.#unproven >= MAX_UNPROVEN_CONNECTIONS)
      ) {
        this.#blocked.add(queue)
        return
      }
      queue.running++
      this.#running++
      if (unproven) this.#unproven++
      void this.#serve(queue).finally(() => {
        queue.running--
        this.#running--
        if (unproven) this.#unproven--
        const blocked = this.#blocked
        this.#blocked = new Set()
        for (const each of [...blocked, queue]) this.#pump(each)
        if (queue.held < queue.quota(this.#parts.now())) this.wake()
      })
    }
  }

  /**
   * Sends messages of a queue over one connection until the queue is empty. If other queues wait for a connection,
   * sends at most `MESSAGES_PER_TURN`.
   */
  async #serve(queue: ServerQueue): Promise<void> {
    let line: ServerConnection | undefined
    for (let sent = 0; sent < MESSAGES_PER_TURN || this.#blocked.size === 0; sent++) {
      const message = queue.waiting.shift()
      if (!message) break
      if (queue.isDown(this.#parts.now())) {
        void this.#release(message, queue.until, queue.problem)
        continue
      }
      this.#prepareAhead(queue)
      line = await this.#deliver(message, queue, line)
      if (queue.waiting.length === MAX_QUEUED_MESSAGES / 2 || queue.waiting.length === 0)
        this.wake()
    }
    if (line) queue.keepLine(line)
  }

  #prepareAhead(queue: ServerQueue): void {
    if (!queue.proven) return
    for (const next of queue.waiting.slice(0, PREFETCHED_MESSAGES))
      this.#parts.letters.prepare(next)
  }

  async #deliver(
    message: ClaimedMessage,
    queue: ServerQueue,
    open: ServerConnection | undefined
  ): Promise<ServerConnection | undefined> {
    const began = performance.now()
    let line = open
    let answer: Omit<AttemptResult, 'took'>
    try {
      const prepared = await this.#parts.letters.prepare(message).catch((error: Error) => {
        throw new OurFault(error.message)
      })
      if (!prepared) {
        this.#end(message, 'cancelled', 'The content of the message was deleted')
        return line
      }
      line = (line?.usable ? line : queue.takeLine()) ?? (await this.#connect(message))
      this.#lines.add(line)
      answer = await line.send(prepared)
    } catch (error) {
      answer = this.#failure(error as SendError)
    }
    if (line) this.#lines.delete(line)
    if (answer.broken) queue.failed(this.#parts.now(), answer.answer)
    else if (answer.outcome !== 'fault') queue.answered()
    this.#pump(queue)
    const settled = this.#settle(message, {
      ...answer,
      took: Math.round(performance.now() - began),
    })
    if (line) line.written = settled
    return line
  }

  #connect(message: ClaimedMessage): Promise<ServerConnection> {
    const { relay, host } = this.#parts
    const route = this.#routes.get(message.id)
    return relay ? ServerConnection.toRelay(relay, host) : ServerConnection.to(route!, host)
  }

  #failure(error: SendError & { host?: string }): Omit<AttemptResult, 'took'> {
    const where = { host: error.host ?? null, tls: null }
    if (!(error instanceof OurFault))
      return { ...where, ...attemptResultOfError(error, !!this.#parts.relay) }
    const reply = { code: null, enhanced: null, answer: sanitizeLine(error.message) }
    return { ...where, ...reply, outcome: 'fault', hard: false, broken: false }
  }

  #settle(message: ClaimedMessage, answer: AttemptResult): Promise<void> {
    const now = this.#parts.now()
    const { hard, broken: _, ...said } = answer
    const tried = { ...said, id: message.id, at: now }
    if (answer.outcome === 'delivered') {
      return this.#write(message, { ...tried, state: 'delivered', event: 'delivered' })
    }
    if (answer.outcome === 'refused') {
      return this.#write(message, { ...tried, state: 'bounced', event: 'bounced', suppress: hard })
    }
    const next_at = nextAttemptAt(message.attempts + 1, now, message.expires_at)
    if (next_at) return this.#write(message, { ...tried, state: 'queued', next_at })
    return this.#write(message, { ...tried, state: 'expired', event: 'bounced' })
  }

  /**
   * Returns a leased message to the queue without an attempt, due at `next_at`. If there is a `reason` and the message
   * is too old, it expires instead.
   */
  #release(message: ClaimedMessage, next_at: Date, reason?: string): Promise<void> {
    const { id } = message
    if (reason !== undefined && this.#parts.now() >= message.expires_at) {
      return this.#write(message, { id, state: 'expired', event: 'bounced', reason })
    }
    return this.#write(message, { id, state: 'queued', next_at, ...(reason && { reason }) })
  }

  #end(message: ClaimedMessage, state: 'suppressed' | 'cancelled', reason: string): void {
    void this.#write(message, { id: message.id, state, reason })
  }

  async #write(message: ClaimedMessage, outcome: DeliveryOutcome): Promise<void> {
    this.#parts.letters.drop(message.id)
    this.#routes.delete(message.id)
    await this.#parts.outcomes.write(outcome)
    this.#held.delete(message.id)
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return
    await this.#parts.claims.renew([...this.#held.keys()]).catch((error: unknown) => {
      this.#parts.log({ level: 40, msg: 'mail leases cannot be renewed', err: String(error) })
    })
  }

  #queueOf(key: string): ServerQueue {
    const known = this.#queues.get(key)
    if (known) return known
    const queue = new ServerQueue(this.#parts.connections)
    this.#queues.set(key, queue)
    return queue
  }

  #tidy(now: Date): void {
    if (this.#destinations.size < 1_000) return
    for (const [name, each] of this.#destinations) {
      if (each.isIdle(now)) this.#destinations.delete(name)
    }
    for (const [key, queue] of this.#queues) {
      if (queue.held === 0 && queue.failures === 0) this.#queues.delete(key)
    }
  }
}

class OurFault extends Error {}

function add(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds)
}
