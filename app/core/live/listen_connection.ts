import env from '#start/env'
import { CONNECT_TIMEOUT_MS } from '#packages/service/database_watch'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/**
 * A connection that only listens sends nothing, so it would not notice that PostgreSQL is frozen or that a
 * firewall dropped the connection. Queries therefore test it.
 */
const TIMING = { connectTimeoutMs: CONNECT_TIMEOUT_MS, heartbeatMs: 30_000, queryTimeoutMs: 10_000 }

const END_TIMEOUT_MS = 1_000

export interface ListenConnection {
  end(): Promise<void>
}

/**
 * Listens on a channel of PostgreSQL with a connection of its own.
 * @param received called with the payload of each notification
 * @param lost called once if the connection breaks or PostgreSQL stops answering, but not after `end`
 * @throws the error of pg if PostgreSQL cannot be reached or does not answer in time
 */
export async function listenOn(
  channel: string,
  { received, lost }: { received: (payload: string) => void; lost: () => void },
  timing: Partial<typeof TIMING> = {}
): Promise<ListenConnection> {
  const { connectTimeoutMs, heartbeatMs, queryTimeoutMs } = Object.assign({}, TIMING, timing)
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: env.get('DATABASE_URL').release(),
    stream: () => socket,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
  })
  let isListening = false
  const heartbeat = setInterval(() => {
    if (isListening) void client.query('select 1').catch(giveUp)
  }, heartbeatMs).unref()
  const stop = () => {
    isListening = false
    clearInterval(heartbeat)
  }
  const giveUp = () => {
    const wasListening = isListening
    stop()
    socket.destroy()
    if (wasListening) lost()
  }
  client.on('notification', ({ payload }) => received(payload ?? ''))
  client.on('error', giveUp)
  client.on('end', giveUp)
  try {
    await client.connect()
    await client.query(`listen ${pg.escapeIdentifier(channel)}`)
  } catch (error) {
    stop()
    socket.destroy()
    throw error
  }
  isListening = true
  return {
    async end() {
      stop()
      // A PostgreSQL that does not answer does not confirm the end.
      await Promise.race([client.end(), sleep(END_TIMEOUT_MS, null, { ref: false })])
      socket.destroy()
    },
  }
}
