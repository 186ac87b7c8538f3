import { forEachLimit } from '#core/for_each_limit'
import { defineSchedule } from '#core/schedules/schedules'
import { openInstanceWebRoot } from '#files/queries/selected_web_root'
import { listLocalHosts } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import logger from '@adonisjs/core/services/logger'

const CONCURRENCY = { places: 4, timeoutMs: 30_000 }

/**
 * Deletes temporary files and folders of abandoned uploads and interrupted Unzip and Clone operations. If an instance
 * is unreachable, the next run tries again.
 */
export async function deleteOldTemporaryFiles(instances: ServerInstance[]): Promise<void> {
  await forEachLimit(instances, CONCURRENCY, async (instance) => {
    try {
      await (await openInstanceWebRoot(instance)).deleteLeftovers()
    } catch (error) {
      logger.debug(
        { err: error, instance: instance.name },
        'old temporary files of an instance could not be deleted'
      )
    }
  })
}

export default defineSchedule({
  name: 'files.temporary',
  label: 'Deletes unfinished uploads after a day',
  every: 3_600,
  everywhere: true,
  async run() {
    const instances = await ServerInstance.query()
      .where('status', 'active')
      .whereIn('hostInstanceId', listLocalHosts().where('status', 'active').select('id'))
    await deleteOldTemporaryFiles(instances)
  },
})
