import { auditWords } from '#backups/audit_words'
import { backUp, tryBackup } from '#backups/operations/back_up'
import { lookAtTarget } from '#backups/operations/look_at_target'
import { alerts } from '#backups/monitoring'
import backUpAsPlanned from '#backups/schedules/back_up'
import backUpInstances from '#backups/schedules/back_up_instances'
import forgetBackups from '#backups/schedules/forget_backups'
import { defineDomain } from '#core/domains'
import { administration } from '#core/menu'

declare module '#core/domains' {
  interface AuditSubjects {
    backup: true
  }
  interface StaffAbilities {
    'backups.manage': true
  }
}

const BACKUPS_PAGE = '/admin/backup'

export default defineDomain({
  name: 'backups',
  routes: () => import('#backups/routes'),
  operations: [backUp, tryBackup, lookAtTarget],
  schedules: [backUpAsPlanned, backUpInstances, forgetBackups],
  alerts,
  menu: { admin: [{ ...administration, label: 'Backups', href: BACKUPS_PAGE, order: 938 }] },
  auditSubjects: { backup: 'Backups' },
  auditWords,
  staffAbilities: { 'backups.manage': 'Only administrators can change or start backups.' },
})
