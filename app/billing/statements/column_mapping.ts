import type { Requester } from '#billing/actions/with_locked_bill'
import { saveStatementLines } from '#billing/statements/save_statement_lines'
import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'
import { audit } from '#core/audit/audit'
import { invalid, notFound } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'

/**
 * Assigns the columns for all statements of the same format, and reads this one again.
 * @throws 422 for a column that the statement does not have
 */
export async function saveColumnMapping(
  id: number,
  columns: StatementColumnIndexes,
  { actor, ip }: Requester
) {
  await db.transaction(async (trx) => {
    const statement = await trx.from('statements').where({ id }).forUpdate().first()
    if (!statement) throw notFound('statement')
    const { operator, fingerprint, head, filename, columns: before } = statement
    for (const [field, index] of Object.entries(columns)) {
      if (index >= head.length)
        throw invalid({ [field]: 'The statement does not have this column.' })
    }
    if (columns.trx_id === columns.amount) {
      throw invalid({ amount: 'Choose a separate column for the amount.' })
    }
    await trx
      .insertQuery()
      .table('statement_formats')
      .insert({
        operator,
        fingerprint,
        created_by: actor?.id ?? null,
        columns: JSON.stringify(columns),
      })
      .onConflict(['operator', 'fingerprint'])
      .merge(['columns', 'created_by'])
    await saveStatementLines({ id, operator, file: statement.file }, columns, trx)
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    const change = { before: before ?? undefined, after: { ...columns } }
    await audit(
      { actor, accountId: null, action: 'statement.columns', subject, ...change, ip },
      trx
    )
  })
}
