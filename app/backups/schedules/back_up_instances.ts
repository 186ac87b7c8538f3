import { backUpInstances } from '#backups/back_up_instances'
import { loadBackupSettings } from '#backups/backup_settings'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'backups.instances',
  label: 'Backs up instances with daily backup',
  every: 1_800,
  async run(signal) {
    const plan = await loadBackupSettings()
    if (!plan?.active || plan.state !== 'ready') return
    await backUpInstances({ reportProgress: async () => {}, signal })
  },
})
