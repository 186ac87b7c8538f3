import type { Requester } from '#billing/actions/with_locked_bill'
import { termKey, termLabel } from '#billing/statements/column_terms'
import { lockStatement, lockStatementFormats } from '#billing/statements/lock_statement'
import { rereadStatement } from '#billing/statements/reread_statement'
import type {
  StatementColumnIndexes,
  StatementTermAnswer,
  StatementTermChange,
} from '#billing/transformers/statement_page_props'
import { audit } from '#core/audit/audit'
import { conflict, invalid } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'

interface ColumnMapping {
  /** New column indexes. Default: no change. */
  columns?: StatementColumnIndexes
  terms?: StatementTermChange[]
}

/**
 * Saves columns and answers about terms for this statement's format, which later uploads use, and evaluates this
 * statement again. Changed answers, but not columns, are also applied to the stored statements of the format.
 * @throws 422 for a column that the statement does not have; 409 while exact matches are being
 *   approved, or for answers before the columns are assigned
 */
export async function saveColumnMapping(
  id: number,
  { columns: assigned, terms: changes = [] }: ColumnMapping,
  { actor, ip }: Requester
) {
  await db.transaction(async (trx) => {
    await lockStatementFormats(trx)
    const statement = await lockStatement(id, trx)
    const { operator, fingerprint, head, filename, columns: before } = statement
    if (assigned) assertColumnsExist(assigned, head)
    const columns = assigned ?? before
    if (!columns) throw conflict('Choose the columns of this statement first.')
    const format = await trx
      .from('statement_formats')
      .where({ operator, fingerprint })
      .forUpdate()
      .first()
    // A statement can have older columns than the format has now. The format keeps its columns.
    const formatColumns = assigned ?? format?.columns ?? columns
    await trx
      .insertQuery()
      .table('statement_formats')
      .insert({
        operator,
        fingerprint,
        created_by: actor?.id ?? null,
        columns: JSON.stringify(formatColumns),
        terms: JSON.stringify(mergeAnswers(format?.terms ?? [], changes)),
      })
      .onConflict(['operator', 'fingerprint'])
      .merge(['columns', 'terms', 'created_by'])
    await rereadStatement({ ...statement, columns }, trx)
    if (changes.length > 0) {
      const others = await trx
        .from('statements')
        .where({ operator, fingerprint })
        .whereNot({ id })
        .orderBy('id')
        .select('id')
      for (const other of others) await rereadStatement(await lockStatement(other.id, trx), trx)
    }
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    const after: Record<string, unknown> = { ...columns }
    if (changes.length > 0) after.terms = changes.map(changeText)
    const change = {
      before: before ? Object.fromEntries(Object.entries(before)) : undefined,
      after,
    }
    await audit(
      { actor, accountId: null, action: 'statement.columns', subject, ...change, ip },
      trx
    )
  })
}

function assertColumnsExist(columns: StatementColumnIndexes, head: string[]): void {
  for (const [field, index] of Object.entries(columns)) {
    if (index >= head.length) throw invalid({ [field]: 'The statement does not have this column.' })
  }
  if (columns.trx_id === columns.amount) {
    throw invalid({ amount: 'Choose a separate column for the amount.' })
  }
}

function mergeAnswers(
  before: StatementTermAnswer[],
  changes: StatementTermChange[]
): StatementTermAnswer[] {
  const answers = new Map(before.map((one) => [termKey(one.column, one.term), one]))
  for (const { column, term, counts } of changes) {
    if (counts === null) answers.delete(termKey(column, term))
    else answers.set(termKey(column, term), { column, term, counts })
  }
  return [...answers.values()]
}

function changeText({ term, counts }: StatementTermChange): string {
  if (counts === null) return `${termLabel(term)}: not answered`
  return `${termLabel(term)}: ${counts ? 'counts as received' : 'does not count'}`
}
