import type { Server } from '#databases/servers/server'

/** Only locally on an instance, from anywhere on a managed server. */
export const defaultUserHost = ({ instance }: Pick<Server, 'instance'>) =>
  instance ? 'localhost' : '%'
