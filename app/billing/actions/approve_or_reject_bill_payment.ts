import {
  type Requester,
  withLockedBill,
  closeBillIfSettled,
} from '#billing/actions/with_locked_bill'
import { postLedgerTransfer } from '#billing/actions/ledger'
import { sendBillMailOnce } from '#billing/actions/send_bill_mails'
import { resumeAccountIfPaid } from '#billing/actions/dunning'
import { runBillDecidedHooks } from '#billing/decision_hooks'
import type Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { assertCanTransition } from '#billing/states/bill'
import { sumAmounts } from '#core/money'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/**
 * Ignores the account's status. Resumes an account that was suspended for overdue bills. Throws 409
 * if no claim waits.
 * @param assert checks the claim once more in the transaction; throws to stop the approval
 */
export async function approveBillPayment(
  bill: Pick<Bill, 'id'>,
  by: Requester,
  assert?: (trx: TransactionClientContract) => Promise<void>
): Promise<Bill> {
  const approved = await withLockedBill(bill, 'bill.approve', by, async (locked, trx) => {
    assertCanTransition(locked, 'approve')
    await assert?.(trx)
    const payments = await decidePayment(locked, 'approved', null, by, trx)
    for (const { id, amount } of payments) {
      await postLedgerTransfer(
        locked,
        'paid',
        { amount, paymentId: id, actorId: by.actor?.id },
        trx
      )
    }
    locked.paid = sumAmounts([locked.paid, ...payments.map(({ amount }) => amount)])
    locked.status = 'pending'
    closeBillIfSettled(locked)
    await sendBillMailOnce(locked, 'payment_approved', `payment_approved:${locked.attempts}`, trx)
    await runBillDecidedHooks({ bill: locked, decision: 'approved', payments }, trx)
    return locked
  })
  await resumeAccountIfPaid(approved.accountId, by)
  return approved
}

/**
 * The transactions can be claimed again. Throws 409 if no claim waits.
 * @param note reason for the person who claimed the payment
 */
export async function rejectBillPayment(
  bill: Pick<Bill, 'id'>,
  note: string | null,
  by: Requester
): Promise<Bill> {
  return withLockedBill(bill, 'bill.reject', by, async (locked, trx) => {
    assertCanTransition(locked, 'reject')
    const payments = await decidePayment(locked, 'rejected', note, by, trx)
    locked.merge({ status: 'rejected', note })
    await sendBillMailOnce(locked, 'payment_rejected', `payment_rejected:${locked.attempts}`, trx)
    await runBillDecidedHooks({ bill: locked, decision: 'rejected', payments }, trx)
    return locked
  })
}

async function decidePayment(
  { id }: Bill,
  status: 'approved' | 'rejected',
  note: string | null,
  { actor }: Requester,
  trx: TransactionClientContract
): Promise<BillPayment[]> {
  const waiting = BillPayment.query({ client: trx }).where({ billId: id, status: 'claimed' })
  const payments = await waiting.orderBy('id')
  for (const payment of payments) {
    const decided = { decidedBy: actor?.id ?? null, decidedAt: DateTime.utc() }
    await payment.merge({ status, note, ...decided }).save()
  }
  return payments
}
