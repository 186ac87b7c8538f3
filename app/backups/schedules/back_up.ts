import { runBackup } from '#backups/run_backup'
import { due } from '#backups/due'
import { backupPlan } from '#backups/plan'
import { newest } from '#backups/queries/backups'
import { defineSchedule } from '#core/schedules/schedules'
import { BackupRefused } from '#packages/backup/client'
import { DateTime } from 'luxon'

export default defineSchedule({
  name: 'backups.run',
  label: 'Runs scheduled backups and a weekly restore test',
  every: 30,
  async run(signal) {
    const plan = await backupPlan()
    if (!plan?.active || plan.state !== 'ready') return
    const [full, fullTried, point, drill, drillTried] = await Promise.all([
      newest(['full'], true),
      newest(['full']),
      newest(['full', 'point']),
      newest(['drill'], true),
      newest(['drill']),
    ])
    const last = { full, fullTried, point, drill, drillTried }
    const begun = Object.fromEntries(
      Object.entries(last).map(([key, row]) => [key, row?.startedAt ?? null])
    ) as Record<keyof typeof last, DateTime | null>
    for (const kind of due(plan, begun, DateTime.utc())) {
      await runBackup(kind, { signal }).catch((error: unknown) => {
        if (!(error instanceof BackupRefused && error.code === 'busy')) throw error
      })
    }
  },
})
