import env from '#start/env'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import pg from 'pg'
import { randomUUID } from 'node:crypto'

const NOTIFY_CHANNEL = 'berth_live'

export interface LiveEvent {
  /** Noun and id of the changed record: `server_instance:5`. `null`: this process may have missed events. */
  topic: string | null
  /** The account whose members may see the event. `null`: staff only. */
  owner: number | null
  /** The only customer who receives the event, whichever account they use. Staff receive it too. */
  person?: number
  passing?: true
}

const MAX_REPLAYED_EVENTS = 2_000
const MAX_TRACKED_TOPICS = 50_000

const listeners = new Map<string, Set<() => void>>()
const readers = new Set<(event: LiveEvent) => void>()
/** Id of this process. A cursor is valid only in the process that created it. */
const origin = randomUUID()
let recentEvents: LiveEvent[] = []
let eventCount = 0
/** Number of the last event of each topic. A topic without an entry had no event after `oldestKnownEvent`. */
const lastEventOfTopic = new Map<string, number>()
let oldestKnownEvent = 0
let connection: pg.Client | undefined
let connecting: Promise<void> | undefined
let closed = false

export interface PublishOptions {
  owner?: number | null
  /** The only customer who receives the event. Replaces the account. */
  person?: number
  passing?: true
  trx?: TransactionClientContract
}

/** Publishes a change to all processes. The topic is the record's noun and id: `project:5`. */
export function publish(topic: string, options: PublishOptions = {}): Promise<void> {
  return publishAll([topic], options)
}

export async function publishAll(
  topics: string[],
  { owner = null, person, passing, trx }: PublishOptions = {}
): Promise<void> {
  await notify(
    topics.map((topic) => ({ topic, owner, person, passing })),
    trx
  )
}

export function publishForOwners(events: { topic: string; owner: number }[]): Promise<void> {
  return notify(events)
}

async function notify(events: object[], trx?: PublishOptions['trx']): Promise<void> {
  await (trx ?? db).rawQuery('select pg_notify(?, message) from unnest(?::text[]) as message', [
    NOTIFY_CHANNEL,
    events.map((one) => JSON.stringify(one)),
  ])
}

/**
 * Returns the topic of changes of a person's sign-ins or access. On such an event, open connections check access
 * again.
 */
export function accessTopic(personId: number): string {
  return `access:${personId}`
}

export async function subscribe(topic: string, listener: () => void): Promise<() => void> {
  const group = listeners.get(topic) ?? new Set()
  listeners.set(topic, group.add(listener))
  await ensureListening()
  return () => {
    group.delete(listener)
    if (group.size === 0) listeners.delete(topic)
  }
}

export async function subscribeToAll(reader: (event: LiveEvent) => void): Promise<() => void> {
  readers.add(reader)
  await ensureListening()
  return () => void readers.delete(reader)
}

/**
 * Cursor of a page that was rendered before this process listened for events. It is invalid, so the page reloads
 * its data.
 */
export const NOT_LISTENING_CURSOR = 'unheard'

/** Returns a cursor for `eventsSince`, or '' while this process does not listen for events yet. */
export function currentEventCursor(): string {
  // The first rendered page starts the listener, so that no event between page and stream is lost.
  void ensureListening().catch((error) => logger.warn({ err: error }, 'live events: cannot listen'))
  return connection ? `${origin}:${eventCount}` : ''
}

/** Returns `null` if this process does not store all events after the cursor. */
export function eventsSince(mark: string): LiveEvent[] | null {
  const [of, text] = mark.split(':')
  const last = Number(text)
  const missed = eventCount - last
  if (of !== origin || !Number.isSafeInteger(last) || missed < 0 || missed > recentEvents.length)
    return null
  return recentEvents.slice(recentEvents.length - missed)
}

/** Returns whether none of the topics had an event after the cursor. Returns false if that is unknown. */
export function isUnchangedSince(mark: string, topics: string[]): boolean {
  const [of, text] = mark.split(':')
  const last = Number(text)
  if (!connection || of !== origin || !Number.isSafeInteger(last)) return false
  if (last < oldestKnownEvent || last > eventCount) return false
  return topics.every((topic) => (lastEventOfTopic.get(topic) ?? 0) <= last)
}

function ensureListening(): Promise<void> {
  closed = false
  connecting ??= connect().catch((error: unknown) => {
    connecting = undefined
    throw error
  })
  return connecting
}

function deliver(event: LiveEvent): void {
  if (!event.passing) storeEvent(event)
  const groups = event.topic === null ? [...listeners.values()] : [listeners.get(event.topic) ?? []]
  for (const group of groups) for (const listener of group) listener()
  for (const reader of readers) reader(event)
}

function storeEvent(event: LiveEvent): void {
  eventCount++
  recentEvents.push(event)
  if (recentEvents.length > MAX_REPLAYED_EVENTS)
    recentEvents = recentEvents.slice(-MAX_REPLAYED_EVENTS / 2)
  if (event.topic !== null && lastEventOfTopic.size < MAX_TRACKED_TOPICS) {
    lastEventOfTopic.set(event.topic, eventCount)
  } else {
    lastEventOfTopic.clear()
    oldestKnownEvent = eventCount
  }
}

async function connect(): Promise<void> {
  const client = new pg.Client({ connectionString: env.get('DATABASE_URL').release() })
  client.on('notification', ({ payload }) => deliver(JSON.parse(payload ?? '{}') as LiveEvent))
  const lost = () => {
    if (connection !== client || closed) return
    connection = undefined
    connecting = reconnect()
  }
  client.on('error', lost)
  client.on('end', lost)
  try {
    await client.connect()
    await client.query(`listen ${NOTIFY_CHANNEL}`)
    connection = client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** Events during the interruption are lost, so listeners receive an event without topic: anything may have changed. */
async function reconnect(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if (closed) return
    try {
      await connect()
      return deliver({ topic: null, owner: null })
    } catch (error) {
      logger.warn({ err: error }, 'live events: cannot connect to the database')
    }
  }
}

export async function closeLiveEvents(): Promise<void> {
  closed = true
  const client = connection
  connection = undefined
  connecting = undefined
  listeners.clear()
  readers.clear()
  await client?.end()
}
