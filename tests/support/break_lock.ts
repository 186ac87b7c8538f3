import { lockKeySql } from '#core/locks'
import db from '@adonisjs/lucid/services/db'

/** Ends the PostgreSQL session that holds a lock. All its other locks are lost too. */
export async function breakLock(name: string): Promise<void> {
  await db.rawQuery(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
     and ((classid::bigint << 32) | objid::bigint) = ${lockKeySql('?')}`,
    [name]
  )
}
