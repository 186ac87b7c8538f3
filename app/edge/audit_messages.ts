/** `{}` stands for the name of the resource. */
export const auditMessages = {
  'instance.domains': 'Changed the domains of server instance {}',
}
