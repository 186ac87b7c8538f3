/** `{}` stands for the resource's name. */
export const auditMessages = {
  'package.add': 'Added package {}',
  'package.update': 'Changed package {}',
}
