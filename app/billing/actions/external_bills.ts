import { reportBillPayment, normalizeTransactionId } from '#billing/actions/report_bill_payment'
import { postLedgerTransfer } from '#billing/actions/ledger'
import type { Requester } from '#billing/actions/with_locked_bill'
import { type ExternalBillFamily, PARTNER_CURRENCY } from '#billing/bill_families'
import Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { loadBillingSettings } from '#billing/settings'
import { fitsAccountPattern, maskedAccountPattern } from '#billing/statements/statement_row'
import { audit } from '#core/audit/audit'
import { loadRegionalSettingsWithSharedLock } from '#core/settings/load_regional_settings'
import { billingTimeZone, regionalSettings } from '#core/settings/regional_settings'
import { sameAmount } from '#core/money'
import { AppError, conflict, notFound } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

export interface ExternalBill {
  externalId: string
  externalUser: string
  /** Taka with all fees, at most two decimals. */
  amount: string
}

/**
 * Imports a partner's bill once.
 * @throws 409 if it was imported with another amount or user, or if customers pay in another
 *   currency than the partner's
 */
export async function importExternalBill(
  family: ExternalBillFamily,
  { externalId, externalUser, amount }: ExternalBill,
  by: Requester
): Promise<Bill> {
  const { seller } = await loadBillingSettings()
  return db.transaction(async (trx) => {
    await loadRegionalSettingsWithSharedLock(trx)
    const { currency } = regionalSettings()
    if (currency !== PARTNER_CURRENCY) {
      throw conflict(
        `Berth takes payments in ${currency}. Bills in ${PARTNER_CURRENCY} cannot be paid.`
      )
    }
    const { rows } = await trx.rawQuery(
      `insert into bills (family, external_id, external_user, currency, amount, billing_date, zone, issued)
       values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (external_id) do nothing returning id`,
      [
        family,
        externalId,
        externalUser,
        PARTNER_CURRENCY,
        amount,
        DateTime.now().setZone(billingTimeZone()).toISODate()!,
        billingTimeZone(),
        JSON.stringify({ buyer: { name: externalUser, email: '' }, seller }),
      ]
    )
    const bill = await Bill.query({ client: trx }).where({ externalId }).firstOrFail()
    if (!rows.length) {
      const isSame =
        bill.family === family &&
        sameAmount(bill.amount, amount) &&
        bill.externalUser === externalUser
      if (!isSame)
        throw conflict('A bill with this id already exists with a different amount or user.')
      return bill
    }
    await postLedgerTransfer(bill, 'billed', { amount }, trx)
    const subject = { type: 'bill' as const, id: bill.id, label: bill.label }
    const { actor, ip } = by
    await audit({ actor, action: 'bill.intake', subject, after: { amount }, ip }, trx)
    return bill
  })
}

export interface ExternalPayment {
  externalId: string
  accountNumber: string
  trxId: string
  reference: string | null
}

/**
 * Records a partner's report that a customer paid an external bill, for review by staff. A repeated
 * report of a pending or approved payment changes nothing. If staff already matched the transfer,
 * the report completes the payment's account number. If that payment is rejected later, the partner
 * is notified.
 * @throws 404 for a bill that was never imported; 409 and 422 as `reportBillPayment`
 */
export async function reportExternalPayment(
  family: ExternalBillFamily,
  payment: ExternalPayment,
  by: Requester
): Promise<Bill> {
  const { externalId, accountNumber, trxId, reference } = payment
  const bill = await Bill.query().where({ family, externalId }).first()
  if (!bill) throw notFound('bill')
  const parts = [{ trxId, taka: null }]
  try {
    return await reportBillPayment(bill, { accountNumber, reference, parts }, by)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await markMatchAsReported(bill, payment, by)
    if (!(await isClaimed(bill, payment))) throw error
    return bill.refresh()
  }
}

/**
 * Adds the reported account number to a payment that staff matched with a statement line, because
 * statements mask or lack the number. A payment still under review then counts as reported by the
 * customer. An approved payment does not.
 */
async function markMatchAsReported(
  { id: billId }: Bill,
  { trxId, accountNumber }: ExternalPayment,
  { actor, ip }: Requester
): Promise<void> {
  await db.transaction(async (trx) => {
    const bill = await Bill.query({ client: trx }).where('id', billId).forUpdate().firstOrFail()
    const payment = await BillPayment.query({ client: trx })
      .where({ billId, trxId: normalizeTransactionId(trxId), fromStatement: true })
      .whereNot('status', 'rejected')
      .first()
    if (!payment) return
    const isApproved = payment.status === 'approved'
    const before = payment.accountNumber
    if (isApproved && !canComplete(before, accountNumber)) return
    await payment.merge({ accountNumber, fromStatement: isApproved }).save()
    if (payment.attempt === bill.attempts) await bill.merge({ accountNumber }).save()
    if (!isApproved) return
    const subject = { type: 'bill' as const, id: billId, label: bill.label }
    const change = { before: { account_number: before }, after: { account_number: accountNumber } }
    const { accountId } = bill
    await audit({ actor, accountId, action: 'bill.account', subject, ...change, ip }, trx)
  })
}

/** Returns whether the stored number is missing, or is masked and fits the reported one. */
function canComplete(stored: string, reported: string): boolean {
  const like = maskedAccountPattern(stored)
  return like === null || (like.includes('%') && fitsAccountPattern(reported, like))
}

/**
 * Returns whether this payment is already recorded. For a payment that staff matched, compares only
 * the transaction ID, because statements mask account numbers.
 */
async function isClaimed(
  { id: billId }: Bill,
  { trxId, accountNumber }: ExternalPayment
): Promise<boolean> {
  const reported = normalizeTransactionId(trxId)
  const payment = await BillPayment.query()
    .where({ billId })
    .whereNot('status', 'rejected')
    .where((either) => either.where('trxId', reported).orWhere('reportedTrxId', reported))
    .where((either) => either.where({ accountNumber }).orWhere('fromStatement', true))
    .first()
  return payment !== null
}
