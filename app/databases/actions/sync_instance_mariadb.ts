import { syncServer } from '#databases/servers/sync_server'
import { loadServer } from '#databases/operations/load_server'
import { ServerInstance } from '#instances/public'
import logger from '@adonisjs/core/services/logger'

/** A project has brought MariaDB, or a database on it: into the list with it, now or by the schedule. */
export async function syncInstanceMariadb(instanceId: number): Promise<void> {
  try {
    const { accountId } = await ServerInstance.findOrFail(instanceId)
    await syncServer(await loadServer({ engine: 'mysql', accountId, instanceId }))
  } catch (error) {
    logger.warn({ err: error, instance: instanceId }, 'a database server could not be looked at')
  }
}
