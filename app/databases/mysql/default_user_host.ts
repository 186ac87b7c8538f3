import type { Server } from '#databases/servers/server'

/** From where a user of an instance comes: the machine itself; of a managed server, from anywhere. */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
