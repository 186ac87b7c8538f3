import { claimBillPayment, normalizeTransactionId } from '#billing/actions/claim_bill_payment'
import { postLedgerTransfer } from '#billing/actions/ledger'
import type { Requester } from '#billing/actions/with_locked_bill'
import { type ExternalBillFamily, PARTNER_CURRENCY } from '#billing/bill_families'
import Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { loadBillingSettings } from '#billing/settings'
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
  /** Taka, at most two decimals, with all fees. */
  amount: string
}

/**
 * Imports a bill once. Throws 409 if it exists with another amount or user, or if customers pay in
 * another currency than the partner's.
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
 * Records a partner's report that a customer paid an external bill, for review by staff.
 * A repeated report of a pending or approved payment changes nothing. If staff already matched the
 * transfer with the bill by a statement, the payment counts as reported from then on, so that the
 * partner is notified of a rejection.
 * @throws 404 for a bill that was never imported, 409 and 422 as `claimBillPayment`
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
    return await claimBillPayment(bill, { accountNumber, reference, parts }, by)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await markMatchAsReported(bill, payment)
    if (!(await isClaimed(bill, payment))) throw error
    return bill.refresh()
  }
}

/** The report has the whole account number, which statements mask. */
async function markMatchAsReported(
  { id: billId }: Bill,
  { trxId, accountNumber }: ExternalPayment
): Promise<void> {
  await db.transaction(async (trx) => {
    const bill = await Bill.query({ client: trx }).where('id', billId).forUpdate().firstOrFail()
    const payment = await BillPayment.query({ client: trx })
      .where({ billId, trxId: normalizeTransactionId(trxId), fromStatement: true })
      .whereNot('status', 'rejected')
      .first()
    if (!payment) return
    // An approved payment remains a match, as which it was decided.
    const fromStatement = payment.status !== 'claimed'
    await payment.merge({ accountNumber, fromStatement }).save()
    if (payment.attempt === bill.attempts) await bill.merge({ accountNumber }).save()
  })
}

/**
 * Returns whether this payment is already recorded. Statements mask account numbers, so only the transaction ID
 * is compared if staff matched the payment.
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
