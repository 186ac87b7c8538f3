import type { Server } from '#databases/servers/server'

/** Returns the host from which a new user may connect: the instance itself, or any on a managed server. */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
