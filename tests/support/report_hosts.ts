import { localMachineId } from '#core/local_host'
import db from '@adonisjs/lucid/services/db'

const INTERVAL_MS = 20_000

/**
 * Reports hosts as active while tests run, as a worker would, so that orders can use them. Most tests run no worker.
 * Ignores hosts that a test made look silent for more than an hour, and rows that a test has locked.
 */
export function keepReportingHosts(): () => void {
  const report = () =>
    db.rawQuery(
      `update host_instances set seen_at = now() where id in (
         select id from host_instances
         where status = 'active' and machine_id = ?
           and now() - coalesce(seen_at, created_at) between interval '50 s' and interval '1 hour'
         for update skip locked)`,
      [localMachineId()]
    )
  const timer = setInterval(() => void report().catch(() => {}), INTERVAL_MS).unref()
  return () => clearInterval(timer)
}
