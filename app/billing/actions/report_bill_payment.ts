import {
  freezeRateIfMissing,
  type Requester,
  withLockedBill,
} from '#billing/actions/with_locked_bill'
import { sendBillMailOnce } from '#billing/actions/send_bill_mails'
import {
  paymentAboveDue,
  noDollarRate,
  dueTooSmallToPay,
  paymentTooSmall,
  tooManyDecimals,
  duplicateTransactionInClaim,
  transactionUsed,
} from '#billing/errors'
import type Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { findTransactionId } from '#billing/pasted_text'
import { splitBillOverTransfers, payableInTaka, billDollarRate } from '#billing/payable_amounts'
import { assertCanTransition } from '#billing/states/bill'
import { regionalSettings } from '#core/settings/regional_settings'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { translateUniqueKeys } from '#core/unique_keys'
import Big from 'big.js'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Minimum taka of a transfer. If less is due, the transfer must pay all of it. */
const MIN_TRANSFER = '1'

export interface PaymentClaim {
  accountNumber: string
  reference: string | null
  /** Transfers of the claim. `taka` includes the fee; `null`: the whole amount due. */
  parts: { trxId: string; taka: string | null }[]
  /** Staff matched the transfer, so the customer gets no confirmation. */
  isFromStatement?: boolean
}

/**
 * Claims that a bill was paid, for review by staff. If the bill has no frozen dollar rate, today's becomes
 * its rate.
 * @throws 409 if the bill cannot be paid now; 422 for a used transaction, or for too large or small an amount
 */
export async function reportBillPayment(
  bill: Pick<Bill, 'id'>,
  { accountNumber, reference, parts: sent, isFromStatement = false }: PaymentClaim,
  by: Requester
): Promise<Bill> {
  const claimed = sent.map(({ trxId, taka }) => ({ trxId: normalizeTransactionId(trxId), taka }))
  if (new Set(claimed.map(({ trxId }) => trxId)).size < claimed.length)
    throw duplicateTransactionInClaim()
  const { digits } = regionalSettings()
  if (claimed.some(({ taka }) => taka !== null && !new Big(taka).eq(new Big(taka).round(digits))))
    throw tooManyDecimals(digits)
  return withLockedBill(bill, 'bill.pay', by, async (locked, trx) => {
    assertCanTransition(locked, 'pay')
    const rate = billDollarRate(locked, await loadDollarRate(trx))
    if (new Big(rate).lte(0)) throw noDollarRate()
    const payable = payableInTaka(amountDue(locked), rate)
    if (new Big(payable).lte(0)) throw dueTooSmallToPay()
    const least = new Big(payable).lt(MIN_TRANSFER) ? payable : MIN_TRANSFER
    if (claimed.some(({ taka }) => taka !== null && new Big(taka).lt(least)))
      throw paymentTooSmall(least)
    const parts = splitBillOverTransfers(amountDue(locked), claimed, rate)
    if (!parts) throw paymentAboveDue(payable)
    await rejectUsedTransactions(locked, claimed, trx)
    const attempt = locked.attempts + 1
    const payments = parts.map((part) => ({
      ...part,
      billId: locked.id,
      attempt,
      accountNumber,
      reference,
      dollarRate: rate,
      status: 'claimed' as const,
      claimedBy: by.actor?.id ?? null,
      fromStatement: isFromStatement,
    }))
    const taken = { bill_payments_trx: () => transactionUsed(transactionField(claimed)) }
    await translateUniqueKeys(taken, () => BillPayment.createMany(payments, { client: trx }))
    locked.merge({
      status: 'processing',
      attempts: attempt,
      note: null,
      accountNumber,
      reference,
      trxId: claimed.map(({ trxId }) => trxId).join(', '),
    })
    freezeRateIfMissing(locked, rate)
    if (!isFromStatement)
      await sendBillMailOnce(locked, 'payment_received', `payment_received:${attempt}`, trx)
    return locked
  })
}

/** Returns the ID that the pasted text contains, otherwise the text in upper case without spaces. */
export function normalizeTransactionId(text: string): string {
  return findTransactionId(text) ?? text.replace(/\s+/g, '').toUpperCase()
}

/**
 * Throws if a transaction ID is in use. An ID that staff replaced by a corrected one
 * (`reportedTrxId`) counts only on this bill. On other bills it may belong to another transfer.
 */
async function rejectUsedTransactions(
  { id: billId }: Bill,
  claimed: { trxId: string }[],
  trx: TransactionClientContract
): Promise<void> {
  const ids = claimed.map(({ trxId }) => trxId)
  const used = await BillPayment.query({ client: trx })
    .whereNot('status', 'rejected')
    .where((either) =>
      either
        .whereIn('trxId', ids)
        .orWhere((corrected) => corrected.where({ billId }).whereIn('reportedTrxId', ids))
    )
    .first()
  if (used) throw transactionUsed(transactionField(claimed))
}

const transactionField = ({ length }: unknown[]) => (length > 1 ? 'parts' : 'trx_id')

/** Names each field, because `{ ...bill }` would not contain the model's getters. */
function amountDue({ currency, due, amount, dollarRate: frozen, issued }: Bill) {
  return { currency, due, amount, dollarRate: frozen, issued }
}
