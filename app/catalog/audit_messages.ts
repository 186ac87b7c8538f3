export const auditMessages = {
  'package.add': 'Added package {}',
  'package.update': 'Changed package {}',
}
