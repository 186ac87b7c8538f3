/** What the log says of each action; `{}` is the name of the thing. Never a secret. */
export const auditMessages = {
  'backup.plan': 'Changed the backup settings: {}',
  'backup.run': 'Started a backup to {}',
  'backup.drill': 'Started a restore test of {}',
}
