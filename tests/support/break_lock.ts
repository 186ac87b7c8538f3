import { lockKeySql, withLock } from '#core/locks'
import { overrideSettings } from '#tests/support/override_settings'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { randomUUID } from 'node:crypto'

/** Ends the PostgreSQL session that holds the lock. The session loses its other locks too. */
export async function breakLock(name: string): Promise<void> {
  await db.rawQuery(
    `select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and granted
     and ((classid::bigint << 32) | objid::bigint) = ${lockKeySql('?')}`,
    [name]
  )
}

/** Runs `work` while this process cannot take locks, because its connection for locks cannot reach PostgreSQL. */
export async function withUnreachableLocks(work: () => Promise<unknown>): Promise<void> {
  const name = randomUUID()
  await withLock(name, () => breakLock(name)).catch(() => {})
  const restore = overrideSettings({ DATABASE_URL: new Secret('postgres://127.0.0.1:1/none') })
  try {
    await work()
  } finally {
    restore()
  }
}
