import { findBackupProblem } from '#backups/queries/backups'
import type { Alert } from '#core/monitoring/alerts'

/** A backup or drill that failed or did not come, or a target that cannot be used. */
const failedBackups: Alert = {
  name: 'backups.failed',
  label: 'Backup failed',
  runbook: 'failed_backup',
  async look() {
    const words = await findBackupProblem()
    return words ? [{ key: 'backups', severity: 'critical', words, href: '/admin/backup' }] : []
  },
}

export const alerts = [failedBackups]
