import { backUpInstances } from '#backups/back_up_instances'
import { loadBackupPlan } from '#backups/backup_plan'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'backups.instances',
  label: 'Backs up instances with daily backup',
  every: 1_800,
  async run(signal) {
    const plan = await loadBackupPlan()
    if (!plan?.active || plan.state !== 'ready') return
    await backUpInstances({ reportProgress: async () => {}, signal })
  },
})
