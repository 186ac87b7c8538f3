import type { By } from '#billing/actions/change_bill'
import { approveBill } from '#billing/actions/decide_bill'
import { listExactBills } from '#billing/queries/statements'
import { assertExact } from '#billing/statements/assert_exact_match'
import type { StepContext } from '#core/operations/operations'
import { AppError } from '#core/app_error'

/** What the operation is told to do; `by` is whoever pressed the button. */
export interface Approval {
  statementId: number
  by: By
}

/** A bill that was not approved, with the reason. */
export interface SkippedBill {
  bill_id: number
  reason: string
}

/**
 * Approves each bill that is exact. Bills that somebody approved, rejected or changed meanwhile stay
 * unchanged.
 * @returns the bills that were not approved
 */
export async function approveBills(
  { statementId, by }: Approval,
  { reportProgress, signal }: Pick<StepContext, 'reportProgress' | 'signal'>
): Promise<SkippedBill[]> {
  const left: SkippedBill[] = []
  const bills = await listExactBills(statementId)
  for (const [index, id] of bills.entries()) {
    signal.throwIfAborted()
    if (index % 20 === 0) await reportProgress(`${index} of ${bills.length}`, index / bills.length)
    await approveBill({ id }, by, (trx) => assertExact(id, trx)).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      left.push({ bill_id: id, reason: error.message })
    })
  }
  if (bills.length) await reportProgress(`${bills.length} of ${bills.length}`, 1)
  return left
}
