import type { Server } from '#databases/servers/server'

/** From where a user of an instance comes: the machine itself; of a managed server, from anywhere. */
export const usualHost = ({ instance }: Pick<Server, 'instance'>) => (instance ? 'localhost' : '%')
