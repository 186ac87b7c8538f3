/** Audit log messages by action. `{}` stands for the name of the resource. Never a secret. */
export const auditMessages = {
  'backup.plan': 'Changed the backup settings: {}',
  'backup.run': 'Started a backup to {}',
  'backup.drill': 'Started a restore test of {}',
}
