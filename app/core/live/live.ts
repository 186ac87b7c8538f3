import env from '#start/env'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import pg from 'pg'

const CHANNEL = 'berth_live'

type Listener = (payload: unknown) => void

const listeners = new Map<string, Set<Listener>>()
let connection: pg.Client | undefined
let opening: Promise<void> | undefined
let closed = false

/**
 * Tells every process that listens on a topic. Within a transaction it is told at its commit.
 * The payload must stay below 8,000 bytes (PostgreSQL's NOTIFY).
 */
export async function publish(
  topic: string,
  payload: unknown = null,
  trx?: TransactionClientContract
): Promise<void> {
  await notify([JSON.stringify({ topic, payload })], trx)
}

/** The same for several topics at once, without a payload. */
export async function publishAll(topics: string[], trx?: TransactionClientContract): Promise<void> {
  await notify(
    topics.map((topic) => JSON.stringify({ topic, payload: null })),
    trx
  )
}

async function notify(messages: string[], trx?: TransactionClientContract): Promise<void> {
  await (trx ?? db).rawQuery('select pg_notify(?, message) from unnest(?::text[]) as message', [
    CHANNEL,
    messages,
  ])
}

/** Calls back for what is published on a topic from now on; returns how to stop. */
export async function subscribe(topic: string, listener: Listener): Promise<() => void> {
  closed = false
  const group = listeners.get(topic) ?? new Set()
  listeners.set(topic, group.add(listener))
  opening ??= open()
  await opening
  return () => {
    group.delete(listener)
    if (group.size === 0) listeners.delete(topic)
  }
}

async function open(): Promise<void> {
  const client = new pg.Client({ connectionString: env.get('DATABASE_URL').release() })
  client.on('notification', ({ payload }) => {
    const { topic, payload: body } = JSON.parse(payload ?? '{}')
    for (const listener of listeners.get(topic) ?? []) listener(body)
  })
  const lost = () => {
    if (connection !== client || closed) return
    connection = undefined
    opening = reopen()
  }
  client.on('error', lost)
  client.on('end', lost)
  try {
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    connection = client
  } catch (error) {
    opening = undefined
    await client.end().catch(() => {})
    throw error
  }
}

/** What was published meanwhile is lost, so listeners are told to look for themselves. */
async function reopen(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if (closed) return
    try {
      await open()
      for (const group of listeners.values()) for (const listener of group) listener(null)
      return
    } catch (error) {
      logger.warn({ err: error }, 'live events: database is away')
    }
  }
}

/** Ends the listening connection. */
export async function closeLive(): Promise<void> {
  closed = true
  const client = connection
  connection = undefined
  opening = undefined
  listeners.clear()
  await client?.end()
}
