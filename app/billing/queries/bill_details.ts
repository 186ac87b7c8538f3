import type Bill from '#billing/models/bill'
import BillCharge from '#billing/models/bill_charge'
import BillPayment from '#billing/models/bill_payment'
import { billMailProblem } from '#billing/states/bill_mail_problem'
import { type BillMailType, billMailTypes } from '#billing/statuses'
import type { BillMailState } from '#billing/transformers/page_props'
import type { CreditNote } from '#billing/documents/pdf_content'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'

export async function loadChargesAndPayments({ id }: Bill) {
  const [charges, payments] = await Promise.all([
    BillCharge.query().where('billId', id).orderBy('id'),
    BillPayment.query().where('billId', id).orderBy('id'),
  ])
  return { charges, payments }
}

/** Returns, for each type of email, when it was last sent and why it cannot be sent now. */
export async function loadBillMailStates(bill: Bill): Promise<BillMailState[]> {
  const rows: { mail_type: string; sent_at: Date }[] = await db
    .from('bill_mails')
    .where('bill_id', bill.id)
    .groupBy('mail_type')
    .select('mail_type')
    .max('sent_at as sent_at')
  const isReported = await isLastPaymentReported(bill)
  const sent = new Map(rows.map((row) => [row.mail_type, row.sent_at.toISOString()]))
  return (Object.keys(billMailTypes) as BillMailType[]).map((type) => ({
    mail_type: type,
    label: billMailTypes[type],
    sent: sent.has(type),
    sent_at: sent.get(type) ?? null,
    reason: billMailProblem(bill, type, isReported),
  }))
}

/** False if staff entered or matched the payment. */
export async function isLastPaymentReported(
  { id: billId, attempts: attempt }: Bill,
  trx?: TransactionClientContract
): Promise<boolean> {
  const reported = await BillPayment.query({ client: trx })
    .where({ billId, attempt, fromStatement: false })
    .whereNull('method')
    .first()
  return reported !== null
}

/** Oldest first. */
export async function listCreditNotes({ id }: Pick<Bill, 'id'>): Promise<CreditNote[]> {
  return db
    .from('ledger_transfers')
    .where('bill_id', id)
    .whereIn('kind', ['credited', 'returned'])
    .orderBy('id')
    .select('number', 'amount', 'note', 'created_at as at')
}

/**
 * Returns the amount of a paid bill that can still become account credit: what was paid minus what
 * already did. In the bill's currency.
 */
export async function loadCreditableAmount(
  { id, paid }: Bill,
  trx?: TransactionClientContract
): Promise<string> {
  const [{ returned }] = await (trx ?? db)
    .from('ledger_transfers')
    .where({ bill_id: id, kind: 'returned' })
    .sum('amount as returned')
  return new Big(paid).minus(returned ?? 0).toFixed()
}
