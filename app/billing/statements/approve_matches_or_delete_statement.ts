import type { Requester } from '#billing/actions/with_locked_bill'
import { exactApprovalInProgress } from '#billing/errors'
import { approveExactlyMatchedBillsOperation } from '#billing/operations/approve_exactly_matched_bills'
import { audit } from '#core/audit/audit'
import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { notFound } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Throws 409 if an approval is already running. */
export async function startExactMatchApproval(
  id: number,
  { actor, ip }: Requester
): Promise<Operation> {
  return db.transaction(async (trx) => {
    const { operator, filename } = await lockStatement(id, trx)
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
}

/** Deletes a statement. Approved payments stay approved. Throws 409 while matches are being approved. */
export async function deleteStatement(id: number, { actor, ip }: Requester): Promise<void> {
  await db.transaction(async (trx) => {
    const { operator, filename } = await lockStatement(id, trx)
    await trx.from('statements').where({ id }).delete()
    const subject = { type: 'statement' as const, id, label: `${operator}: ${filename}` }
    await audit({ actor, accountId: null, action: 'statement.delete', subject, ip }, trx)
  })
}

async function lockStatement(id: number, trx: TransactionClientContract) {
  const statement = await trx
    .from('statements')
    .where({ id })
    .forUpdate()
    .select('operator', 'filename', 'operation_id')
    .first()
  if (!statement) throw notFound('statement')
  const going = await trx
    .from('operations')
    .where('id', statement.operation_id)
    .whereIn('status', ['queued', 'running'])
    .first()
  if (statement.operation_id && going) throw exactApprovalInProgress()
  return statement as { operator: string; filename: string }
}
