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
import { payableInTaka } from '#billing/payable_amounts'
import { assertCanTransition } from '#billing/states/bill'
import { giveAccountCredit } from '#billing/actions/account_credit'
import { nothingReceived, receivedSumChanged, receivedSumDiffers } from '#billing/errors'
import {
  loadReceivedTransfers,
  type ReceivedTransfers,
} from '#billing/statements/received_transfers'
import { formatTaka, sameAmount, sumAmounts } from '#core/money'
import Big from 'big.js'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

interface Approval {
  /**
   * Taka to approve: the sum that was reported or the one that statements show. Needed if they
   * differ.
   */
  sum?: string
  /** Checks the claim once more in the transaction; throws to stop the approval. */
  assert?: (trx: TransactionClientContract) => Promise<void>
}

/**
 * Ignores the account's status. Resumes an account that was suspended for overdue bills. What is
 * missing stays due. What is too much becomes credit of the account (decision 0082). Throws 409 if
 * no claim waits, or if a statement shows another sum than the one to approve.
 */
export async function approveBillPayment(
  bill: Pick<Bill, 'id'>,
  by: Requester,
  { sum, assert }: Approval = {}
): Promise<Bill> {
  const approved = await withLockedBill(bill, 'bill.approve', by, async (locked, trx) => {
    assertCanTransition(locked, 'approve')
    await assert?.(trx)
    const transfers = await loadReceivedTransfers(locked.id, trx)
    const isAsReceived = assertKnownSum(transfers, sum)
    const excess = isAsReceived ? await bookReceivedSums(locked, transfers, by, trx) : '0'
    const payments = await decidePayment(locked, 'approved', null, by, trx)
    if (isAsReceived) locked.note = receivedNote(transfers, locked, excess)
    await settleBill(locked, payments, excess, by, trx)
    return locked
  })
  await resumeAccountIfPaid(approved.accountId, by)
  return approved
}

/**
 * Books approved payments. The caller saves the bill, and then calls `resumeAccountIfPaid`.
 * @param excess amount beyond the bill, in its currency; becomes credit
 */
export async function settleBill(
  bill: Bill,
  payments: BillPayment[],
  excess: string,
  by: Requester,
  trx: TransactionClientContract
): Promise<void> {
  for (const { id, amount } of payments) {
    await postLedgerTransfer(bill, 'paid', { amount, paymentId: id, actorId: by.actor?.id }, trx)
  }
  bill.paid = sumAmounts([bill.paid, ...payments.map(({ amount }) => amount)])
  if (new Big(excess).gt(0)) {
    await giveAccountCredit(
      bill,
      {
        amount: excess,
        kind: 'overpaid',
        source: `overpaid:${payments[0].id}`,
        reason: `Overpaid on ${bill.label}`,
        note: bill.trxId,
        actorId: by.actor?.id,
      },
      trx
    )
  }
  bill.status = 'pending'
  closeBillIfSettled(bill)
  await sendBillMailOnce(bill, 'payment_approved', `payment_approved:${bill.attempts}`, trx)
  await runBillDecidedHooks({ bill, decision: 'approved', payments }, trx)
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

/**
 * @returns whether the sum of the statements is approved, instead of the reported one
 * @throws 409 if the sums differ and none of them was chosen
 */
function assertKnownSum({ reported, received }: ReceivedTransfers, sum?: string): boolean {
  if (reported === received) {
    if (sum !== undefined && !sameAmount(sum, reported)) throw receivedSumChanged()
    return false
  }
  if (sum === undefined || !(sameAmount(sum, reported) || sameAmount(sum, received)))
    throw receivedSumDiffers(reported, received)
  if (sameAmount(sum, reported)) return false
  if (new Big(received).lte(0)) throw nothingReceived()
  return true
}

/**
 * Changes the claimed payments to the sums that arrived, and rejects those of which nothing did.
 * @returns the amount beyond the bill, in its currency
 */
async function bookReceivedSums(
  bill: Bill,
  { reported, received, byPayment }: ReceivedTransfers,
  { actor }: Requester,
  trx: TransactionClientContract
): Promise<string> {
  const payments = await BillPayment.query({ client: trx })
    .where({ billId: bill.id, status: 'claimed' })
    .orderBy('id')
  // All transfers of a claim have the same rate and fee.
  const { currency, due, amount: billed, dollarRate, issued } = bill
  const sum = { currency, due, amount: billed, dollarRate, issued }
  const payable = payableInTaka(sum, payments[0].dollarRate)
  const claimed = sumAmounts(payments.map(({ amount }) => amount))
  // Claimed parts are rounded. Scaling them would leave a small rest of a bill that is paid in full.
  const arrived = (
    new Big(received).gte(payable)
      ? new Big(due).times(received).div(payable)
      : new Big(claimed).times(received).div(reported)
  ).round(6, Big.roundDown)
  const paid = arrived.gt(bill.due) ? new Big(bill.due) : arrived
  const paying = payments.filter(({ id }) => new Big(byPayment.get(id)!).gt(0))
  let left = paid
  for (const payment of payments) {
    const taka = byPayment.get(payment.id)!
    if (!paying.includes(payment)) {
      const decided = { decidedBy: actor?.id ?? null, decidedAt: DateTime.utc() }
      const note = 'No money arrived.'
      await payment.merge({ status: 'rejected', note, ...decided }).save()
      continue
    }
    const share = new Big(paid).times(taka).div(received).round(6, Big.roundDown)
    const amount = payment === paying.at(-1) ? left : share
    left = left.minus(amount)
    if (sameAmount(taka, payment.taka)) payment.amount = amount.toFixed()
    else payment.merge({ amount: amount.toFixed(), taka, reportedTaka: payment.taka })
    await payment.save()
  }
  return arrived.minus(paid).toFixed()
}

/** The customer reads it on the bill and in the email. */
function receivedNote(
  { reported, received }: ReceivedTransfers,
  { accountId }: Bill,
  excess: string
): string {
  const sums = `${formatTaka(received)} arrived instead of ${formatTaka(reported)}.`
  if (new Big(received).lt(reported)) return `${sums} The remainder stays due.`
  if (new Big(excess).lte(0)) return sums
  return accountId === null
    ? `${sums} We will return the excess to the sender.`
    : `${sums} The excess is credit for the next bill.`
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
