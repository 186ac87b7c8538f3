/** What the log says of each action; `{}` is the name of the thing. */
export const auditMessages = {
  'package.add': 'Added package {}',
  'package.update': 'Changed package {}',
}
