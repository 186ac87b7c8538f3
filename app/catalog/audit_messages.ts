/** Audit log messages by action. `{}` stands for the name of the resource. */
export const auditMessages = {
  'package.add': 'Added package {}',
  'package.update': 'Changed package {}',
}
