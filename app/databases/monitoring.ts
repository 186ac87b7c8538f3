import type { AlertRule } from '#core/monitoring/alerts'
import { staffPageOfDatabase } from '#databases/queries/databases'
import { listFailingNightlyBackups } from '#databases/queries/failing_nightly_backups'

/** One alert for all databases. If the managed server's disk is full, the backups of many databases fail at once. */
const nightlyBackupsAlert: AlertRule = {
  name: 'databases.backups',
  label: 'Nightly database backups fail',
  runbook: 'failed_backup',
  async findProblems() {
    // Excludes stopped instances, because customers stop them on purpose.
    const failing = (await listFailingNightlyBackups()).filter(
      ({ isServerActive }) => isServerActive
    )
    if (failing.length === 0) return []
    const [first] = failing
    const subject =
      failing.length === 1
        ? `The nightly backups of database ${first.name} fail`
        : `The nightly backups of ${failing.length} databases fail, such as ${first.name}`
    const words = `${subject}: ${first.error ?? 'unknown reason'}`
    return [{ key: 'nightly', severity: 'warning', words, href: staffPageOfDatabase(first) }]
  },
}

export const alerts = [nightlyBackupsAlert]
