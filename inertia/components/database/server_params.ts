import type { ServerView } from './types'

/** Returns the request parameter that identifies a server. */
export function serverParams({ server_instance_id: id }: Pick<ServerView, 'server_instance_id'>) {
  return { server_instance_id: id === null ? 'managed' : String(id) }
}
