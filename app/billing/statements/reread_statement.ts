import type { LockedStatement } from '#billing/statements/lock_statement'
import { saveStatementLines } from '#billing/statements/save_statement_lines'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Reads the stored file again and replaces the statement's lines. Uses the statement's columns and
 * the answers for its format.
 * @returns the number of rows with unknown terms; 0 before the columns are assigned
 */
export async function rereadStatement(
  { id, operator, fingerprint, columns }: LockedStatement,
  trx: TransactionClientContract
): Promise<{ unknown: number }> {
  if (!columns) return { unknown: 0 }
  const { file } = await trx.from('statements').where({ id }).select('file').firstOrFail()
  const format = await trx.from('statement_formats').where({ operator, fingerprint }).first()
  return saveStatementLines({ id, operator, file }, { columns, terms: format?.terms ?? [] }, trx)
}
