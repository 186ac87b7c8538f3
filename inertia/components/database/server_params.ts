import type { ServerView } from './types'

/** How a request names the server that it is about. */
export function serverParams({ server_instance_id: id }: Pick<ServerView, 'server_instance_id'>) {
  return { server_instance_id: id === null ? 'managed' : String(id) }
}
