import type { Engine } from '#databases/engines'
import { databaseTaken, tooManyDatabases, packageTooSmall, userTaken } from '#databases/errors'
import { MAX_DATABASES } from '#databases/limits'
import { parseNewDatabaseName, parseNewUsername, nameWithoutPrefix } from '#databases/names'
import { createDatabaseOperation, encryptPendingPassword } from '#databases/operations/create'
import { databaseServerSubject } from '#databases/servers/sync_server'
import { parsePassword } from '#databases/passwords'
import type { ServerSelection } from '#databases/queries/selected_server'
import { countDatabases } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { assertInstanceCan } from '#instances/public'
import db from '@adonisjs/lucid/services/db'

interface Sent {
  database_name?: unknown
  username?: unknown
  user_password?: unknown
}

/**
 * Starts creating a database and its user. Installs the server first if necessary.
 * @throws AppError 422 with the errors of all fields
 */
export async function startDatabaseCreation(
  actor: Actor,
  { instance, managed }: Exclude<ServerSelection, { problem: string }>,
  engine: Engine,
  sent: Sent,
  ip?: string
): Promise<Operation> {
  if (instance) assertInstanceCan('manage', instance)
  const server = managed ?? (await resolveDatabaseServer(instance!, engine))
  const { database, username, password } = readFields({
    database: () => parseNewDatabaseName(server, sent.database_name),
    username: () => parseNewUsername(server, sent.username),
    password: () => parsePassword(engine, sent.user_password),
  })
  if ((await countDatabases(server.accountId)) >= MAX_DATABASES) throw tooManyDatabases()
  await assertNotUnderWay(server, { database, username })
  const driver = databaseDriver(server)
  const { status } = await driver.servers.state(server)
  // If no server is installed, all names are free.
  if (status === 'running') await driver.accounts.assertFree(server, { database, username })
  else if (instance && status === 'absent') {
    const { unsupportedReason } = await driver.servers.preflight(instance, server.machine)
    if (unsupportedReason) throw packageTooSmall(unsupportedReason)
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
 * Rejects names that an unfinished creation uses. If both creations ran, a failure of one would remove what
 * the other created.
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

/** Parses all fields. Throws one error that lists the errors of all invalid fields. */
function readFields<Fields extends Record<string, () => string>>(
  fields: Fields
): Record<keyof Fields, string> {
  const errors: Record<string, string[]> = {}
  const read: Record<string, string> = {}
  for (const [name, field] of Object.entries(fields)) {
    try {
      read[name] = field()
    } catch (error) {
      if (!(error instanceof AppError) || !error.errors) throw error
      Object.assign(errors, error.errors)
    }
  }
  const [first] = Object.values(errors)
  if (first) throw new AppError('invalid', 422, first[0], { errors })
  return read as Record<keyof Fields, string>
}
