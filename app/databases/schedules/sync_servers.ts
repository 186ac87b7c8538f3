import { refreshDatabaseServer } from '#databases/actions/refresh_database_server'
import { type Engine, engines } from '#databases/engines'
import Database from '#databases/models/database'
import DatabaseServer from '#databases/models/database_server'
import {
  managedServer,
  managedServerUrl,
  resolveDatabaseServer,
} from '#databases/servers/resolve_database_server'
import { forEachLimit } from '#core/for_each_limit'
import { defineSchedule } from '#core/schedules/schedules'
import logger from '@adonisjs/core/services/logger'

const CONCURRENCY = { places: 4, timeoutMs: 60_000 }

async function listSyncTasks(): Promise<(() => Promise<unknown>)[]> {
  const servers = await DatabaseServer.query().preload('instance')
  const own = servers
    .filter(({ instance, status }) => instance?.status === 'active' && status !== 'installing')
    .map(
      ({ instance, engine }) =>
        async () =>
          refreshDatabaseServer(await resolveDatabaseServer(instance, engine))
    )
  const managed = (Object.keys(engines) as Engine[]).map(async (engine) => {
    if (!managedServerUrl(engine)) return []
    const rows = await Database.live()
      .where({ engine })
      .whereNull('serverInstanceId')
      .distinct('accountId')
    return rows.map(
      ({ accountId }) =>
        () =>
          refreshDatabaseServer(managedServer(accountId, engine)!)
    )
  })
  return [...own, ...(await Promise.all(managed)).flat()]
}

export default defineSchedule({
  name: 'databases.sync',
  label: 'Reads the databases and sizes of database servers',
  every: 600,
  async run(signal) {
    // A server that does not respond must not stop the others.
    await forEachLimit(await listSyncTasks(), CONCURRENCY, async (work) => {
      if (signal.aborted) return
      try {
        await work()
      } catch (error) {
        logger.debug({ err: error }, 'a database server could not be read')
      }
    })
  },
})
