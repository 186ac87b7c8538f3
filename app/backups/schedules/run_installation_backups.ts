import { runBackupOrRestoreTest } from '#backups/run_backup'
import { listDueBackupJobs } from '#backups/due_backup_jobs'
import { loadBackupSettings } from '#backups/backup_settings'
import { findNewestBackup } from '#backups/queries/backups'
import { defineSchedule } from '#core/schedules/schedules'
import { BackupRequestError } from '#packages/backup/client'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'backups.run',
  label: 'Runs scheduled backups and a weekly restore test',
  every: 30,
  async run(signal) {
    const plan = await loadBackupSettings()
    if (!plan?.active || plan.state !== 'ready') return
    const [full, fullTried, point, drill, drillTried] = await Promise.all([
      findNewestBackup(['full'], true),
      findNewestBackup(['full']),
      findNewestBackup(['full', 'point']),
      findNewestBackup(['drill'], true),
      findNewestBackup(['drill']),
    ])
    const last = { full, fullTried, point, drill, drillTried }
    const begun = Object.fromEntries(
      Object.entries(last).map(([key, row]) => [key, row?.startedAt ?? null])
    ) as Record<keyof typeof last, DateTime | null>
    for (const kind of listDueBackupJobs(plan, begun, DateTime.utc())) {
      await runBackupOrRestoreTest(kind, { signal }).catch((error: unknown) => {
        if (!(error instanceof BackupRequestError && error.code === 'busy')) throw error
      })
    }
  },
})
