import { exactApprovalInProgress } from '#billing/errors'
import type {
  StatementColumnIndexes,
  StatementPage,
} from '#billing/transformers/statement_page_props'
import { notFound } from '#core/app_error'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface LockedStatement {
  id: number
  operator: string
  filename: string
  fingerprint: string
  head: string[]
  /** `null` until staff assign them. */
  columns: StatementColumnIndexes | null
  /** Number of rows that were not saved, by reason. Older releases did not write `unknown`. */
  passed_over: Partial<StatementPage['passed']>
}

/**
 * Locks all formats, so that no statement is stored while changed answers are applied to the
 * statements of a format. To avoid deadlocks, take this lock before you lock rows of statements.
 */
export async function lockStatementFormats(trx: TransactionClientContract): Promise<void> {
  await trx.rawQuery(`select pg_advisory_xact_lock(hashtext('statement_formats'))`)
}

/** Throws 404 if the statement does not exist, and 409 while its exact matches are being approved. */
export async function lockStatement(
  id: number,
  trx: TransactionClientContract
): Promise<LockedStatement> {
  const statement = await trx
    .from('statements')
    .where({ id })
    .forUpdate()
    .select('id', 'operator', 'filename', 'fingerprint', 'head', 'columns', 'passed_over')
    .select('operation_id')
    .first()
  if (!statement) throw notFound('statement')
  const { operation_id: operationId, ...locked } = statement
  const running = await trx
    .from('operations')
    .where('id', operationId)
    .whereIn('status', ['queued', 'running'])
    .first()
  if (operationId && running) throw exactApprovalInProgress()
  return locked
}
