import type { Requester } from '#billing/actions/with_locked_bill'
import { lockStatementFormats } from '#billing/statements/lock_statement'
import { guessColumns } from '#billing/statements/guess_columns'
import { saveStatementLines } from '#billing/statements/save_statement_lines'
import { readStatementTable } from '#billing/statements/read_table'
import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'
import { audit } from '#core/audit/audit'
import db from '@adonisjs/lucid/services/db'

interface UploadedStatement {
  operator: string
  filename: string
  file: Buffer
}

/**
 * If the statement's format is known, saves its lines at once; otherwise staff must assign the columns
 * first.
 * @returns the statement's id
 * @throws 422 if the file has no table
 */
export async function storeStatement(
  handed: UploadedStatement,
  { actor, ip }: Requester
): Promise<number> {
  const { operator, filename, file } = handed
  const { head, fingerprint } = await readStatementTable(file)
  return db.transaction(async (trx) => {
    await lockStatementFormats(trx)
    const format = await trx.from('statement_formats').where({ operator, fingerprint }).first()
    const [{ id }]: { id: number }[] = await trx
      .insertQuery()
      .table('statements')
      .insert({
        operator,
        filename,
        file,
        fingerprint,
        created_by: actor?.id ?? null,
        head: JSON.stringify(head),
      })
      .returning('id')
    if (format) {
      const columns = withCurrency(format.columns, head)
      await saveStatementLines({ id, operator, file }, { columns, terms: format.terms }, trx)
    }
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    await audit({ actor, accountId: null, action: 'statement.store', subject, ip }, trx)
    return id
  })
}

/** Adds the currency column, which formats saved by an older release lack. */
function withCurrency(columns: StatementColumnIndexes, head: string[]): StatementColumnIndexes {
  return { ...columns, currency: columns.currency ?? guessColumns(head).currency }
}
