import type { Requester } from '#billing/actions/with_locked_bill'
import { approveBillPayment } from '#billing/actions/approve_or_reject_bill_payment'
import { listExactlyMatchedBillIds } from '#billing/queries/statements'
import { assertExactMatch } from '#billing/statements/assert_exact_match'
import type { StepContext } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface ExactApprovalInput {
  statementId: number
  by: Requester
}

export interface SkippedBill {
  bill_id: number
  reason: string
}

/**
 * Approves the bills that exactly match a statement. Skips those that cannot be approved any more.
 * @returns the skipped bills
 */
export async function approveExactlyMatchedBills(
  { statementId, by }: ExactApprovalInput,
  { reportProgress, signal }: Pick<StepContext, 'reportProgress' | 'signal'>
): Promise<SkippedBill[]> {
  const left: SkippedBill[] = []
  const bills = await listExactlyMatchedBillIds(statementId)
  for (const [index, id] of bills.entries()) {
    signal.throwIfAborted()
    if (index % 20 === 0) await reportProgress(`${index} of ${bills.length}`, index / bills.length)
    const assert = (trx: TransactionClientContract) => assertExactMatch(id, trx)
    await approveBillPayment({ id }, by, { assert }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      left.push({ bill_id: id, reason: error.message })
    })
  }
  if (bills.length) await reportProgress(`${bills.length} of ${bills.length}`, 1)
  return left
}
