/** What the log says of each action; `{}` is the name of the thing. Never a secret. */
export const auditWords = {
  'backup.plan': 'Changed where and how often is backed up: {}',
  'backup.run': 'Had everything backed up to {}',
  'backup.drill': 'Had the backup at {} tried',
}
