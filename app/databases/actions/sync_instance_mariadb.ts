import { syncServer } from '#databases/servers/sync_server'
import { loadServer } from '#databases/operations/load_server'
import { ServerInstance } from '#instances/public'
import logger from '@adonisjs/core/services/logger'

/**
 * Updates Berth's list of the databases on the instance's MariaDB after a project created or dropped some. If that
 * fails, the next run of the schedule `databases.sync` does it.
 */
export async function syncInstanceMariadb(instanceId: number): Promise<void> {
  try {
    const { accountId } = await ServerInstance.findOrFail(instanceId)
    await syncServer(await loadServer({ engine: 'mysql', accountId, instanceId }))
  } catch (error) {
    logger.warn({ err: error, instance: instanceId }, 'a database server could not be read')
  }
}
