import { databaseBusy, nameConfirmationMismatch } from '#databases/errors'
import { serverTopic } from '#databases/servers/sync_server'
import type Database from '#databases/models/database'
import { nameWithoutPrefix } from '#databases/names'
import { databaseSubject } from '#databases/queries/databases'
import { databaseDriver } from '#databases/servers/drivers'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { publish } from '#core/live/live_events'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** @throws 409 if an operation on the database is queued, running or stuck */
export async function assertNoUnfinishedOperation(database: Database): Promise<void> {
  const { type, id } = databaseSubject(database)
  const open = await Operation.query()
    .where({ subjectType: type, subjectId: String(id) })
    .whereIn('status', UNFINISHED_STATUSES)
    .first()
  if (open) throw databaseBusy(open.title)
}

/**
 * Drops the database and all rights on it. Its backups remain. Its users remain in MySQL, but not in MongoDB.
 * @param typed name that the person typed to confirm
 * @throws if `typed` is not the database's name, with or without the account's prefix
 */
export async function dropDatabase(
  actor: Actor,
  database: Database,
  typed: unknown,
  ip?: string
): Promise<void> {
  const server = await resolveDatabaseServer(database, database.engine)
  const label = nameWithoutPrefix(server, database.name)
  if (typed !== label && typed !== database.name) throw nameConfirmationMismatch()
  await assertNoUnfinishedOperation(database)
  await databaseDriver(server).accounts.drop(server, database.name)
  await db.transaction(async (trx) => {
    database.useTransaction(trx)
    await database.merge({ status: 'deleted', deletedAt: DateTime.utc() }).save()
    await audit(
      {
        actor,
        accountId: database.accountId,
        action: 'database.drop',
        subject: { type: 'database', id: database.id, label },
        before: { engine: database.engine, bytes: database.sizeBytes, tables: database.tables },
        ip,
      },
      trx
    )
  })
  await publish(serverTopic(server), { owner: database.accountId })
}
