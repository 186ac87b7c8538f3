import Operation from '#core/models/operation'
import { type HeldLock, processLocks } from '#core/locks'
import { startOperation } from '#core/operations/operations'
import { conflict } from '#core/app_error'
import Database from '#databases/models/database'
import { importIntoDatabaseOperation, type ImportInput } from '#databases/operations/import'
import { databaseSubject } from '#databases/queries/databases'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'
import { pipeline, type Readable, Transform } from 'node:stream'

export const IMPORT_RUNNING_MESSAGE =
  'An import into this database is running. Wait until it finishes and try again.'

/** @throws 409 if another upload or import of the database is running */
export async function lockForUpload(database: Database): Promise<HeldLock> {
  await assertNoImport(database)
  const held = await processLocks.tryHold(`database-upload:${database.id}`)
  if (!held) throw conflict(IMPORT_RUNNING_MESSAGE)
  return held
}

/** @throws 409 if an import is queued, running or stuck */
export async function assertNoImport(
  database: Pick<Database, 'id'>,
  trx?: TransactionClientContract
): Promise<void> {
  const running = await importsInto(database, trx)
    .whereIn('status', ['queued', 'running', 'stuck'])
    .first()
  if (running) throw conflict(IMPORT_RUNNING_MESSAGE)
}

/**
 * Returns whether an import is queued or running. Such an import may have replaced a part of the data. A stuck
 * import does not count, because it ends only when staff act.
 */
export async function isImportUnfinished(database: Pick<Database, 'id'>): Promise<boolean> {
  return (await importsInto(database).whereIn('status', ['queued', 'running']).first()) !== null
}

/**
 * Passes an export on, but holds back its last chunk. If an import is unfinished, or started or ended after
 * `since`, the stream fails instead, because the export could lack tables.
 */
export function failIfImported(
  body: Readable,
  database: Pick<Database, 'id'>,
  since: DateTime
): Readable {
  const mayHaveChanged = () =>
    importsInto(database)
      .where((imports) =>
        imports
          .whereIn('status', ['queued', 'running'])
          .orWhere('startedAt', '>=', since.toSQL()!)
          .orWhere('endedAt', '>=', since.toSQL()!)
      )
      .first()
  let last: Buffer | undefined
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, last)
      last = chunk
    },
    flush(done) {
      mayHaveChanged().then(
        (found) => (found ? done(conflict(IMPORT_RUNNING_MESSAGE)) : done(null, last)),
        (error: Error) => done(error)
      )
    },
  })
  pipeline(body, checked, () => {})
  return checked
}

function importsInto({ id }: Pick<Database, 'id'>, trx?: TransactionClientContract) {
  return Operation.query({ client: trx }).where({
    kind: importIntoDatabaseOperation.kind,
    subjectType: 'database',
    subjectId: String(id),
  })
}

/** @throws 409 if the database already has an unfinished import */
export function startImport(
  database: Database,
  input: Omit<ImportInput, 'databaseId'>,
  title: string
): Promise<Operation> {
  return db.transaction(async (trx) => {
    await Database.query({ client: trx }).where('id', database.id).forUpdate().firstOrFail()
    await assertNoImport(database, trx)
    return startOperation(
      importIntoDatabaseOperation,
      { ...input, databaseId: database.id },
      { title, accountId: database.accountId, subject: databaseSubject(database), trx }
    )
  })
}
