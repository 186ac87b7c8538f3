import type { Server } from '#databases/servers/server'

/** On an instance, a new user may connect only from the instance itself. On a managed server: from any host. */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
