/** What the log says of each action; `{}` is the name of the thing. */
export const auditMessages = {
  'instance.domains': 'Changed the domains of server instance {}',
}
