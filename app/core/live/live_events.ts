import env from '#start/env'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import pg from 'pg'
import { randomUUID } from 'node:crypto'

const NOTIFY_CHANNEL = 'berth_live'

/** What was told. */
export interface LiveEvent {
  /** Noun and id of what changed: `server_instance:5`; null where news may have been lost. */
  topic: string | null
  /** Whose it is (an account), for whoever passes it on; null for what is nobody's but staff's. */
  owner: number | null
  /** The one person who is told beside staff, whichever account they act for. */
  person?: number
  /** Of this moment only: whoever comes back is not told. */
  passing?: true
}

/** How many news are remembered for those who were away for a moment. */
const MAX_REPLAYED_EVENTS = 2_000
/** Topics of which it is known when they were told last. */
const MAX_TRACKED_TOPICS = 50_000

const listeners = new Map<string, Set<() => void>>()
const readers = new Set<(event: LiveEvent) => void>()
/** Numbers of news count within one process; another one, or one started anew, is told by this. */
const origin = randomUUID()
let recentEvents: LiveEvent[] = []
/** How much was told since the start. */
let eventCount = 0
/** When each topic was told last; the rest of them no later than `oldestKnownEvent`. */
const lastEventOfTopic = new Map<string, number>()
let oldestKnownEvent = 0
let connection: pg.Client | undefined
let connecting: Promise<void> | undefined
let closed = false

export interface PublishOptions {
  /** Whose pages are told (an account's), beside those of staff. */
  owner?: number | null
  /** The one person whose pages are told instead. */
  person?: number
  /** Of this moment only: whoever comes back is not told. */
  passing?: true
  /** Told at its commit. */
  trx?: TransactionClientContract
}

/** Tells every process that listens that something changed, by its noun and id: `project:5`. */
export function publish(topic: string, options: PublishOptions = {}): Promise<void> {
  return publishAll([topic], options)
}

/** The same for several topics at once. */
export async function publishAll(
  topics: string[],
  { owner = null, person, passing, trx }: PublishOptions = {}
): Promise<void> {
  await notify(
    topics.map((topic) => ({ topic, owner, person, passing })),
    trx
  )
}

/** The same for topics of which each is somebody else's. */
export function publishForOwners(events: { topic: string; owner: number }[]): Promise<void> {
  return notify(events)
}

async function notify(events: object[], trx?: PublishOptions['trx']): Promise<void> {
  await (trx ?? db).rawQuery('select pg_notify(?, message) from unnest(?::text[]) as message', [
    NOTIFY_CHANNEL,
    events.map((one) => JSON.stringify(one)),
  ])
}

/** Told when what a person is signed in with has changed: who serves them asks again. */
export function accessTopic(personId: number): string {
  return `access:${personId}`
}

/** Calls back for what is published on a topic from now on; returns how to stop. */
export async function subscribe(topic: string, listener: () => void): Promise<() => void> {
  const group = listeners.get(topic) ?? new Set()
  listeners.set(topic, group.add(listener))
  await ensureListening()
  return () => {
    group.delete(listener)
    if (group.size === 0) listeners.delete(topic)
  }
}

/** Calls back for everything that is published from now on; returns how to stop. */
export async function subscribeToAll(reader: (event: LiveEvent) => void): Promise<() => void> {
  readers.add(reader)
  await ensureListening()
  return () => void readers.delete(reader)
}

/** The mark of a page that was made while nobody listened here: what came since is not known. */
export const NOT_LISTENING_CURSOR = 'unheard'

/** How far this process has listened: what comes after it can be asked for with `eventsSince`. */
export function currentEventCursor(): string {
  // From the first page on, so that nothing falls between a page and its stream.
  void ensureListening().catch((error) => logger.warn({ err: error }, 'live events: cannot listen'))
  return connection ? `${origin}:${eventCount}` : ''
}

/** What was told after a mark; null where that is no longer known here. */
export function eventsSince(mark: string): LiveEvent[] | null {
  const [of, text] = mark.split(':')
  const last = Number(text)
  const missed = eventCount - last
  if (of !== origin || !Number.isSafeInteger(last) || missed < 0 || missed > recentEvents.length)
    return null
  return recentEvents.slice(recentEvents.length - missed)
}

/** Whether none of these topics was told after a mark; false also where that is not known here. */
export function isUnchangedSince(mark: string, topics: string[]): boolean {
  const [of, text] = mark.split(':')
  const last = Number(text)
  if (!connection || of !== origin || !Number.isSafeInteger(last)) return false
  if (last < oldestKnownEvent || last > eventCount) return false
  return topics.every((topic) => (lastEventOfTopic.get(topic) ?? 0) <= last)
}

function ensureListening(): Promise<void> {
  closed = false
  connecting ??= connect()
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
    connecting = undefined
    await client.end().catch(() => {})
    throw error
  }
}

/** What was published meanwhile is lost, so listeners are told to look for themselves. */
async function reconnect(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if (closed) return
    try {
      await connect()
      return deliver({ topic: null, owner: null })
    } catch (error) {
      logger.warn({ err: error }, 'live events: database is away')
    }
  }
}

/** Ends the listening connection. */
export async function closeLiveEvents(): Promise<void> {
  closed = true
  const client = connection
  connection = undefined
  connecting = undefined
  listeners.clear()
  readers.clear()
  await client?.end()
}
