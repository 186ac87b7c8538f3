import type { Requester } from '#billing/actions/with_locked_bill'
import { unknownStatementTerms } from '#billing/errors'
import { approveExactlyMatchedBillsOperation } from '#billing/operations/approve_exactly_matched_bills'
import { lockStatement } from '#billing/statements/lock_statement'
import { rereadStatement } from '#billing/statements/reread_statement'
import { audit } from '#core/audit/audit'
import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import db from '@adonisjs/lucid/services/db'

/**
 * If an older release stored the statement, reads the file again first, because that release counted
 * unknown terms as received.
 * @throws 409 if an approval is running, or if the file that was read again contains unknown terms
 */
export async function startExactMatchApproval(
  id: number,
  { actor, ip }: Requester
): Promise<Operation> {
  const started = await db.transaction(async (trx) => {
    const statement = await lockStatement(id, trx)
    const { operator, filename, passed_over: passed } = statement
    if (passed.unknown === undefined) {
      const { unknown } = await rereadStatement(statement, trx)
      if (unknown > 0) return null
    }
    const operation = await startOperation(
      approveExactlyMatchedBillsOperation,
      { statementId: id, by: { actor, ip } },
      {
        title: `Approving the exact matches of ${filename}`,
        accountId: null,
        subject: { type: 'statement', id },
        trx,
      }
    )
    await trx.from('statements').where({ id }).update({ operation_id: operation.id })
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    await audit({ actor, accountId: null, action: 'statement.approve', subject, ip }, trx)
    return operation
  })
  // Thrown after the commit. Otherwise the unknown terms would not be saved, and the page could not
  // show them.
  if (!started) throw unknownStatementTerms()
  return started
}

/**
 * Approved payments stay approved.
 * @throws 409 while matches are being approved
 */
export async function deleteStatement(id: number, { actor, ip }: Requester): Promise<void> {
  await db.transaction(async (trx) => {
    const { operator, filename } = await lockStatement(id, trx)
    await trx.from('statements').where({ id }).delete()
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    await audit({ actor, accountId: null, action: 'statement.delete', subject, ip }, trx)
  })
}
