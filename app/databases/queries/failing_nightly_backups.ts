import type { Engine } from '#databases/engines'
import db from '@adonisjs/lucid/services/db'

/**
 * After this many failed nightly backups in a row, staff and the account are notified. Each night has up to three
 * attempts.
 */
export const FAILED_NIGHTLY_BACKUPS = 3

export interface FailingNightlyBackup {
  id: number
  accountId: number
  serverInstanceId: number | null
  engine: Engine
  name: string
  /** Number of failed nightly backups since the last successful one. */
  failures: number
  /** Error of the newest failed backup. */
  error: string | null
  lastGoodAt: Date | null
  /** Whether the instance is active. Always true for the managed server. */
  isServerActive: boolean
  mailedAt: Date | null
}

/** Lists databases whose last `FAILED_NIGHTLY_BACKUPS` nightly backups all failed. */
export async function listFailingNightlyBackups(): Promise<FailingNightlyBackup[]> {
  const { rows } = await db.rawQuery<{ rows: FailingNightlyBackup[] }>(
    `select d.id::int, d.account_id as "accountId", d.server_instance_id as "serverInstanceId", d.engine, d.name,
       failed.count::int as failures, failed.error, good.at as "lastGoodAt",
       coalesce(s.status = 'active', true) as "isServerActive", d.backup_failure_mailed_at as "mailedAt"
     from databases d
     left join server_instances s on s.id = d.server_instance_id
     left join lateral (
       select max(b.created_at) as at from database_backups b
       -- An expired failed backup is deleted, too, and has no size.
       where b.database_id = d.id and b.reason = 'nightly' and b.size_bytes is not null
     ) good on true
     cross join lateral (
       select count(*), (array_agg(b.error order by b.created_at desc))[1] as error from database_backups b
       where b.database_id = d.id and b.reason = 'nightly' and b.status = 'failed'
         and b.created_at > coalesce(good.at, '-infinity')
     ) failed
     where d.status = 'active' and d.backup_nightly and failed.count >= ?
     order by d.id`,
    [FAILED_NIGHTLY_BACKUPS]
  )
  return rows
}
