import type { Server } from '#databases/servers/server'

/**
 * Returns the host from which a new user may connect. On an instance: only the instance itself. On a managed
 * server: any.
 */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
