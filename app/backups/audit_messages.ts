/** `{}` stands for the resource's name. Messages never contain a secret. */
export const auditMessages = {
  'backup.plan': 'Changed the backup settings: {}',
  'backup.run': 'Started a backup to {}',
  'backup.drill': 'Started a restore test of {}',
}
