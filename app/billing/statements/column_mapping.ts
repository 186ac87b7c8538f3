import type { Requester } from '#billing/actions/with_locked_bill'
import { termKey } from '#billing/statements/column_terms'
import { saveStatementLines } from '#billing/statements/save_statement_lines'
import type {
  StatementColumnIndexes,
  StatementTermAnswer,
} from '#billing/transformers/statement_page_props'
import { audit } from '#core/audit/audit'
import { invalid, notFound } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'

interface ColumnMapping {
  columns: StatementColumnIndexes
  /** Added to earlier answers. */
  terms?: StatementTermAnswer[]
}

/**
 * Assigns the columns for all statements of the same format, and reads this one again.
 * @throws 422 for a column that the statement does not have
 */
export async function saveColumnMapping(
  id: number,
  { columns, terms: answers = [] }: ColumnMapping,
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
    const format = await trx
      .from('statement_formats')
      .where({ operator, fingerprint })
      .forUpdate()
      .first()
    const terms = mergeAnswers(format?.terms ?? [], answers)
    await trx
      .insertQuery()
      .table('statement_formats')
      .insert({
        operator,
        fingerprint,
        created_by: actor?.id ?? null,
        columns: JSON.stringify(columns),
        terms: JSON.stringify(terms),
      })
      .onConflict(['operator', 'fingerprint'])
      .merge(['columns', 'terms', 'created_by'])
    await saveStatementLines({ id, operator, file: statement.file }, { columns, terms }, trx)
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    const after: Record<string, unknown> = { ...columns }
    if (answers.length > 0) after.terms = answers.map(answerText)
    const change = { before: before ?? undefined, after }
    await audit(
      { actor, accountId: null, action: 'statement.columns', subject, ...change, ip },
      trx
    )
  })
}

function mergeAnswers(
  before: StatementTermAnswer[],
  answers: StatementTermAnswer[]
): StatementTermAnswer[] {
  const all = [...before, ...answers]
  return [...new Map(all.map((one) => [termKey(one.column, one.term), one])).values()]
}

const answerText = ({ term, counts }: StatementTermAnswer) =>
  `${term || '(empty)'}: ${counts ? 'counts as received' : 'does not count'}`
