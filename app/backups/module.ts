import { auditMessages } from '#backups/audit_messages'
import {
  backUpNowOperation,
  restoreTestOperation,
} from '#backups/operations/backup_and_restore_test'
import { applyBackupSettingsOperation } from '#backups/operations/apply_backup_settings'
import { alerts } from '#backups/monitoring'
import backUpAsPlanned from '#backups/schedules/run_installation_backups'
import backUpInstances from '#backups/schedules/back_up_instances'
import forgetBackups from '#backups/schedules/delete_old_backup_results'
import { defineModule } from '#core/modules'
import { administrationGroup } from '#core/menu'

declare module '#core/modules' {
  interface AuditSubjects {
    backup: true
  }
  interface StaffAbilities {
    'backups.manage': true
  }
}

const BACKUPS_PAGE = '/admin/backup'

export default defineModule({
  name: 'backups',
  routes: () => import('#backups/routes'),
  operations: [backUpNowOperation, restoreTestOperation, applyBackupSettingsOperation],
  schedules: [backUpAsPlanned, backUpInstances, forgetBackups],
  alerts,
  menu: { admin: [{ ...administrationGroup, label: 'Backups', href: BACKUPS_PAGE, order: 938 }] },
  auditSubjects: { backup: 'Backups' },
  auditMessages,
  staffAbilities: { 'backups.manage': 'Only administrators can change or start backups.' },
})
