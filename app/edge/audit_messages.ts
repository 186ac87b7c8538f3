export const auditMessages = {
  'instance.domains': 'Changed the domains of server instance {}',
}
