import type { Server } from '#databases/servers/server'

/**
 * Returns the host that new users may connect from: only locally on an instance, from anywhere on a managed
 * server.
 */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
