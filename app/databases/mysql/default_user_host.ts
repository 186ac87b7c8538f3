import type { Server } from '#databases/servers/server'

/** Allows only local connections on an instance, and any on a managed server. */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
