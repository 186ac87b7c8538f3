import type { By } from '#billing/actions/change_bill'
import { fillLines } from '#billing/statements/fill'
import { readSheet } from '#billing/statements/read'
import type { StatementColumns } from '#billing/transformers/statements'
import { audit } from '#core/audit/audit'
import db from '@adonisjs/lucid/services/db'

interface HandedIn {
  operator: string
  filename: string
  file: Buffer
}

/**
 * Takes a statement in; one of a make that is known is read at once, of another staff say first which
 * column is which.
 * @returns its id
 * @throws 422 for what is no table
 */
export async function storeStatement(handed: HandedIn, { actor, ip }: By): Promise<number> {
  const { operator, filename, file } = handed
  const { head, fingerprint } = await readSheet(file)
  return db.transaction(async (trx) => {
    const format = await trx.from('statement_formats').where({ operator, fingerprint }).first()
    const columns = (format?.columns ?? null) as StatementColumns | null
    const [{ id: made }] = await trx
      .insertQuery()
      .table('statements')
      .insert({
        ...{ operator, filename, file, fingerprint, created_by: actor?.id ?? null },
        head: JSON.stringify(head),
      })
      .returning('id')
    const id = Number(made)
    if (columns) await fillLines({ id, operator, file }, columns, trx)
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    await audit({ actor, accountId: null, action: 'statement.store', subject, ip }, trx)
    return id
  })
}
