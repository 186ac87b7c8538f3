import {
  BACKUP_RUNNING_MESSAGE,
  NO_TARGET_MESSAGE,
  NO_BACKUP_TO_TEST_MESSAGE,
} from '#backups/errors'
import type { BackupSettings } from '#backups/backup_settings'
import { denied, type Permission, ALLOWED } from '#core/permission'

export interface BackupReadiness {
  plan: BackupSettings | null
  running: boolean
  hasBackup: boolean
}

function targetProblem(plan: BackupSettings | null): string | null {
  if (!plan) return NO_TARGET_MESSAGE
  if (!plan.active) return 'Backups are turned off.'
  if (plan.state === 'new') return 'The target is being checked.'
  return plan.state === 'refused' ? `The target cannot be used: ${plan.trouble}` : null
}

export const backupPermissions = {
  run({ plan, running }: BackupReadiness): Permission {
    const reason = targetProblem(plan) ?? (running ? BACKUP_RUNNING_MESSAGE : null)
    return reason ? denied(reason) : ALLOWED
  },
  drill(status: BackupReadiness): Permission {
    const run = backupPermissions.run(status)
    if (!run.allowed) return run
    return status.hasBackup ? ALLOWED : denied(NO_BACKUP_TO_TEST_MESSAGE)
  },
}
