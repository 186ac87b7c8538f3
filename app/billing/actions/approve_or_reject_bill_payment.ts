import { applyReceivedAmounts, chooseReceivedAmount } from '#billing/actions/apply_received_amounts'
import { resumeAccountIfPaid } from '#billing/actions/dunning'
import { sendBillMailOnce } from '#billing/actions/send_bill_mails'
import { settleBill } from '#billing/actions/settle_bill'
import { type Requester, withLockedBill } from '#billing/actions/with_locked_bill'
import { runBillDecidedHooks } from '#billing/decision_hooks'
import type Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { assertCanTransition } from '#billing/states/bill'
import { loadReceivedTransfers } from '#billing/statements/received_transfers'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

interface Approval {
  /** Taka that staff approve. Required if the reported and the received amount differ. */
  approvedTaka?: string
  /** Runs inside the transaction, before the approval. If it throws, nothing is approved. */
  assert?: (trx: TransactionClientContract) => Promise<void>
}

/**
 * Approves the claimed payments. Resumes the account if this was the last bill that it was suspended for. A
 * remainder stays due. An excess becomes account credit, except on partners' bills (decision 0082).
 * @throws 409 if no payment is pending approval, and for `approvedTaka` as `chooseReceivedAmount`
 */
export async function approveBillPayment(
  bill: Pick<Bill, 'id'>,
  by: Requester,
  { approvedTaka, assert }: Approval = {}
): Promise<Bill> {
  const approved = await withLockedBill(bill, 'bill.approve', by, async (locked, trx) => {
    assertCanTransition(locked, 'approve')
    await assert?.(trx)
    const transfers = await loadReceivedTransfers(locked.id, trx)
    const excess = chooseReceivedAmount(transfers, approvedTaka)
      ? await applyReceivedAmounts(locked, transfers, by, trx)
      : '0'
    const payments = await loadClaimedPayments(locked, trx)
    await decidePayments(payments, { status: 'approved', note: null }, by)
    await settleBill(locked, payments, excess, by, trx)
    return locked
  })
  await resumeAccountIfPaid(approved.accountId, by)
  return approved
}

/**
 * Rejects the payments that are pending approval. Their transaction IDs can be used again. If staff
 * corrected an ID, the reported ID is restored. If staff matched all payments, the customer reported
 * nothing and gets no email.
 * @param note reason for the person who claimed the payment
 * @throws 409 if no payment is pending approval
 */
export async function rejectBillPayment(
  bill: Pick<Bill, 'id'>,
  note: string | null,
  by: Requester
): Promise<Bill> {
  return withLockedBill(bill, 'bill.reject', by, async (locked, trx) => {
    assertCanTransition(locked, 'reject')
    const payments = await loadClaimedPayments(locked, trx)
    await decidePayments(payments, { status: 'rejected', note }, by)
    if (payments.every(({ fromStatement }) => fromStatement)) {
      locked.merge({ status: 'pending', accountNumber: null, trxId: null, reference: null })
      return locked
    }
    locked.merge({
      status: 'rejected',
      note,
      trxId: payments.map(({ trxId }) => trxId).join(', '),
    })
    await sendBillMailOnce(locked, 'payment_rejected', `payment_rejected:${locked.attempts}`, trx)
    await runBillDecidedHooks({ bill: locked, decision: 'rejected', payments }, trx)
    return locked
  })
}

const loadClaimedPayments = ({ id }: Bill, trx: TransactionClientContract) =>
  BillPayment.query({ client: trx }).where({ billId: id, status: 'claimed' }).orderBy('id')

async function decidePayments(
  payments: BillPayment[],
  { status, note }: Pick<BillPayment, 'note'> & { status: 'approved' | 'rejected' },
  { actor }: Requester
): Promise<void> {
  for (const payment of payments) {
    payment.merge({ status, note, decidedBy: actor?.id ?? null, decidedAt: DateTime.utc() })
    if (status === 'rejected' && payment.reportedTrxId)
      payment.merge({ trxId: payment.reportedTrxId, reportedTrxId: null })
    await payment.save()
  }
}
