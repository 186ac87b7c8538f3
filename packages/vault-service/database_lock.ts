import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './store/database.js'

/** Arbitrary number that no other advisory lock in this database uses. */
const ADVISORY_LOCK_KEY = 7_461_636_204

const ATTEMPTS_PER_SECOND = 5

/**
 * Acquires the lock of the vault service. Only one service per database may hold it, because a service cannot
 * invalidate caches of another process. Calls `onLost` if the lock is lost later. The process must then exit.
 * @returns a function that releases the lock
 * @throws Error if another service still holds the lock after `seconds`
 */
export async function acquireDatabaseLock(
  database: Database,
  onLost: () => void,
  seconds = 60
): Promise<() => Promise<void>> {
  const client = await database.connection()
  let released = false
  client.once('error', () => {
    if (!released) onLost()
  })
  try {
    for (let tried = 0; ; tried++) {
      const { rows } = await client.query<{ mine: boolean }>(
        'select pg_try_advisory_lock($1) as mine',
        [ADVISORY_LOCK_KEY]
      )
      if (rows[0].mine) break
      if (tried >= seconds * ATTEMPTS_PER_SECOND) {
        throw new Error(
          'Another vault service uses this database. Only one vault service may use it.'
        )
      }
      await wait(1_000 / ATTEMPTS_PER_SECOND)
    }
  } catch (error) {
    client.release(true)
    throw error
  }
  return async () => {
    released = true
    client.release(true)
  }
}
