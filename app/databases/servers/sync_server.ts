import { databaseOperationFailed } from '#databases/errors'
import Database from '#databases/models/database'
import DatabaseServer from '#databases/models/database_server'
import { listDatabasesOn } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'
import type { ServerDatabase, ServerState } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import { publish } from '#core/live/live_events'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { violatedUniqueKey } from '#core/unique_keys'
import { DateTime } from 'luxon'

/** Limit, because root of an instance can replace the server by a program that lists millions of databases. */
const MAX_DATABASES = 5_000

/**
 * Updates Berth's list of the server's databases: adds those created by hand or by projects, marks missing ones as
 * deleted unless an operation on them is unfinished, and saves sizes. Does nothing to the list while the server is
 * installed but not running.
 * @throws the server's error if it does not respond; then nothing is marked as deleted
 */
export async function syncServer(server: Server): Promise<Database[]> {
  const state = await databaseDriver(server).servers.state(server)
  await saveServerState(server, state)
  if (state.status === 'absent') await saveDatabases(server, [])
  if (state.status !== 'running') return listDatabasesOn(server)
  const databases = await databaseDriver(server).accounts.databases(server)
  if (databases.length > MAX_DATABASES) {
    throw databaseOperationFailed(
      `This database server has more than ${MAX_DATABASES.toLocaleString('en')} databases, which is the limit. Delete some.`
    )
  }
  await saveDatabases(server, databases)
  return listDatabasesOn(server)
}

/** The managed server has no record. */
async function saveServerState({ instance, engine, accountId }: Server, state: ServerState) {
  if (!instance) return
  const key = { serverInstanceId: instance.id, engine }
  if (state.status === 'absent') {
    await DatabaseServer.query().where(key).whereNot('status', 'installing').delete()
    return
  }
  await DatabaseServer.updateOrCreate(key, {
    accountId,
    status: state.status,
    version: state.version,
    error: state.problem,
    seenAt: DateTime.utc(),
  })
}

async function saveDatabases(server: Server, databases: ServerDatabase[]): Promise<void> {
  const { accountId, engine, instance } = server
  const known = await listDatabasesOn(server)
  const byName = new Map(known.map((row) => [row.name, row]))
  const measuredAt = DateTime.utc()
  let changed = false
  for (const { name, sizeBytes, tables } of databases) {
    const row = byName.get(name)
    byName.delete(name)
    if (row && row.sizeBytes === sizeBytes && row.tables === tables) continue
    changed = true
    if (row) await row.merge({ sizeBytes, tables, measuredAt }).save()
    else
      await saveNewDatabase(
        { accountId, engine, name, sizeBytes, tables, measuredAt },
        instance?.id ?? null
      )
  }
  const worked = await underWork([...byName.values()])
  for (const gone of byName.values()) {
    // An unfinished operation, such as a restore, may still create this database.
    if (worked.has(gone.id)) continue
    changed = true
    await gone.merge({ status: 'deleted', deletedAt: measuredAt }).save()
  }
  if (changed) await publish(serverTopic(server), { owner: accountId })
}

async function underWork(databases: Database[]): Promise<Set<number>> {
  if (databases.length === 0) return new Set()
  const ids = databases.map(({ id }) => String(id))
  const open = await Operation.query()
    .where('subjectType', 'database')
    .whereIn('subjectId', ids)
    .whereIn('status', UNFINISHED_STATUSES)
  return new Set(open.map(({ subjectId }) => Number(subjectId)))
}

/** Saves a new database, unless another sync has just added it. */
async function saveNewDatabase(
  values: Partial<Database>,
  serverInstanceId: number | null
): Promise<void> {
  try {
    await Database.create({ ...values, serverInstanceId, status: 'active' })
  } catch (error) {
    if (violatedUniqueKey(error) !== 'databases_name') throw error
  }
}

export function serverTopic({
  instance,
  accountId,
  engine,
}: Pick<Server, 'instance' | 'accountId' | 'engine'>) {
  const { type, id } = databaseServerSubject({ instance, accountId, engine })
  return `${type}:${id}`
}

export function databaseServerSubject({
  instance,
  accountId,
  engine,
}: Pick<Server, 'instance' | 'accountId' | 'engine'>) {
  const id = instance ? `${engine}-${instance.id}` : `${engine}-managed-${accountId}`
  return { type: 'database_server' as const, id }
}
