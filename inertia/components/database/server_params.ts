import type { ServerView } from './types'

export function serverParams({ server_instance_id: id }: Pick<ServerView, 'server_instance_id'>) {
  return { server_instance_id: id === null ? 'managed' : String(id) }
}
