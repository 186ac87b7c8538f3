import { findBackupProblem } from '#backups/queries/backups'
import type { AlertRule } from '#core/monitoring/alerts'

const failedBackups: AlertRule = {
  name: 'backups.failed',
  label: 'Backup failed',
  runbook: 'failed_backup',
  async findProblems() {
    const problem = await findBackupProblem()
    return problem
      ? [{ key: 'backups', severity: 'critical', words: problem, href: '/admin/backup' }]
      : []
  },
}

export const alerts = [failedBackups]
