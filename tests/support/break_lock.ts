import { lockKeySql } from '#core/locks'
import db from '@adonisjs/lucid/services/db'

/** Ends the PostgreSQL session that holds a lock, and waits for its end. All its other locks are lost too. */
export async function breakLock(name: string): Promise<void> {
  await db.rawQuery(
    `select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and granted
     and ((classid::bigint << 32) | objid::bigint) = ${lockKeySql('?')}`,
    [name]
  )
}
