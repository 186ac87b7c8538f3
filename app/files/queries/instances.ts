import { ServerInstance } from '#instances/public'
import { noInstance } from '#files/errors'

/** For work that was allowed when it was started: an instance by its own id, whoever owns it. */
export async function findAnyInstance(id: number): Promise<ServerInstance> {
  const instance = await ServerInstance.query()
    .where('id', id)
    .whereNot('status', 'deleted')
    .first()
  if (!instance) throw noInstance()
  return instance
}
