export const auditMessages = {
  'backup.plan': 'Changed the backup settings: {}',
  'backup.run': 'Started a backup to {}',
  'backup.drill': 'Started a restore test of {}',
}
