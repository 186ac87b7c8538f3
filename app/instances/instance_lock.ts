import env from '#start/env'
import logger from '@adonisjs/core/services/logger'
import pg from 'pg'

let pool: pg.Pool | undefined

/** Connections of its own: whoever holds a lock still needs the usual ones for the work. */
function locks(): pg.Pool {
  if (pool) return pool
  pool = new pg.Pool({
    connectionString: env.get('DATABASE_URL').release(),
    max: 24,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
  })
  pool.on('error', (error) => logger.warn({ err: error }, 'instance lock'))
  return pool
}

/**
 * Does something to an instance while nobody else does, in any process. The lock ends with its
 * connection, so a killed process holds nothing.
 */
export async function withInstanceLock<T>(instanceId: number, work: () => Promise<T>): Promise<T> {
  const client = await locks().connect()
  let lost: Error | undefined
  const onLost = (error: Error) => (lost = error)
  client.on('error', onLost)
  const key = `instance:${instanceId}`
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key])
    try {
      return await work()
    } finally {
      if (!lost) {
        await client
          .query('select pg_advisory_unlock(hashtextextended($1, 0))', [key])
          .catch((error: Error) => (lost = error))
      }
    }
  } finally {
    client.off('error', onLost)
    client.release(lost)
  }
}

/** Ends the connections; when the process stops. */
export async function closeLockConnections(): Promise<void> {
  const open = pool
  pool = undefined
  await open?.end()
}
