import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { AppError } from '#core/app_error'

export interface Decision {
  move: 'pay' | 'approve' | 'reject'
  id: number
  trxId: string
}

/**
 * Runs all decisions concurrently. Returns how many succeeded. A decision that throws an AppError
 * has not succeeded. Throws all other errors.
 */
export async function runDecisions(decisions: Decision[]): Promise<number> {
  const by = { actor: null }
  const outcomes = await Promise.allSettled(
    decisions.map(({ move, id, trxId }) => {
      if (move === 'approve') return approveBillPayment({ id }, by)
      if (move === 'reject') return rejectBillPayment({ id }, 'No such transfer', by)
      const claim = { accountNumber: '017', reference: null, parts: [{ trxId, taka: null }] }
      return reportBillPayment({ id }, claim, by)
    })
  )
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !(outcome.reason instanceof AppError)) throw outcome.reason
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}
