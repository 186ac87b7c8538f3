import type { Engine } from '#databases/engines'
import {
  databaseTaken,
  tooManyDatabases,
  unsupportedDatabaseServer,
  userTaken,
} from '#databases/errors'
import { MAX_DATABASES } from '#databases/limits'
import { nameWithoutPrefix } from '#databases/names'
import { createDatabaseOperation, encryptPendingPassword } from '#databases/operations/create'
import { databaseServerSubject } from '#databases/servers/sync_server'
import type { ServerSelection } from '#databases/queries/selected_server'
import { countDatabases } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { newDatabaseValidator } from '#databases/validators/database'
import { assertInstanceCan } from '#instances/public'
import db from '@adonisjs/lucid/services/db'

/**
 * Starts the creation of a database. The operation installs the server if necessary.
 * @param sent `{ database_name, username, user_password }`, not validated yet
 * @throws if the account has too many databases, a name is taken, or the instance cannot run the server
 */
export async function startDatabaseCreation(
  actor: Actor,
  { instance, managed }: Exclude<ServerSelection, { problem: string }>,
  engine: Engine,
  sent: Record<string, unknown>,
  ip?: string
): Promise<Operation> {
  if (instance) assertInstanceCan('manage', instance)
  const server = managed ?? (await resolveDatabaseServer(instance!, engine))
  const {
    database_name: database,
    username,
    user_password: password,
  } = await newDatabaseValidator.validate(sent, { meta: { server } })
  if ((await countDatabases(server.accountId)) >= MAX_DATABASES) throw tooManyDatabases()
  await assertNotUnderWay(server, { database, username })
  const driver = databaseDriver(server)
  const { status } = await driver.servers.state(server)
  // If the server does not run, the operation checks the names after it has started it.
  if (status === 'running') await driver.accounts.assertFree(server, { database, username })
  else if (instance && status === 'absent') {
    const { unsupportedReason } = await driver.servers.preflight(instance, server.machine)
    if (unsupportedReason) throw unsupportedDatabaseServer(unsupportedReason)
  }
  const shown = nameWithoutPrefix(server, database)
  const input = {
    engine,
    accountId: server.accountId,
    instanceId: instance?.id ?? null,
    database,
    username,
    password: encryptPendingPassword(password),
  }
  return db.transaction(async (trx) => {
    const operation = await startOperation(createDatabaseOperation, input, {
      title: `Creating database ${shown}`,
      accountId: server.accountId,
      subject: databaseServerSubject(server),
      trx,
    })
    await audit(
      {
        actor,
        accountId: server.accountId,
        action: 'database.store',
        subject: { type: 'database', id: operation.id, label: shown },
        after: {
          engine,
          username: nameWithoutPrefix(server, username),
          server: instance?.name ?? 'managed',
        },
        ip,
      },
      trx
    )
    return operation
  })
}

/**
 * Rejects a name that an unfinished creation already uses. If two creations used it and one failed, its cleanup
 * would drop the other's database.
 */
async function assertNotUnderWay(
  server: Server,
  names: { database: string; username: string }
): Promise<void> {
  const { type, id } = databaseServerSubject(server)
  const open = await Operation.query()
    .where({ subjectType: type, subjectId: id, kind: createDatabaseOperation.kind })
    .whereIn('status', UNFINISHED_STATUSES)
  if (open.some(({ input }) => input.database === names.database)) throw databaseTaken()
  if (open.some(({ input }) => input.username === names.username)) throw userTaken()
}
