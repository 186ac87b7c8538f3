import Bill from '#billing/models/bill'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'
import Big from 'big.js'
import { DateTime } from 'luxon'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** `actor` is `null` if Berth itself or a partner's system makes the request. */
export interface Requester {
  actor: Actor | null
  ip?: string
}

/**
 * Locks the bill's row while `run` changes the bill, and then saves the bill. Writes the bill before
 * and after the change to the audit log.
 */
export async function withLockedBill<Result>(
  { id }: Pick<Bill, 'id'>,
  action: string,
  { actor, ip }: Requester,
  run: (bill: Bill, trx: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  return db.transaction(async (trx) => {
    const bill = await Bill.query({ client: trx }).where({ id }).forUpdate().first()
    if (!bill) throw notFound('bill')
    const before = auditData(bill)
    const result = await run(bill, trx)
    await bill.save()
    const subject = { type: 'bill' as const, id, label: bill.label }
    const { accountId } = bill
    await audit({ actor, accountId, action, subject, before, after: auditData(bill), ip }, trx)
    return result
  })
}

/** Stores the payment's rate as the rate of a bill that was issued without one (decision 0081). */
export function freezeRateIfMissing(bill: Bill, rate: string): void {
  if (bill.dollarRate !== null) return
  bill.merge({ dollarRate: rate, rateDay: DateTime.now().setZone(bill.zone) })
}

export function closeBillIfSettled(bill: Bill): void {
  if (new Big(bill.due).gt(0)) return
  bill.status = new Big(bill.paid).gt(0) ? 'success' : 'deleted'
}

function auditData(bill: Bill): Record<string, unknown> {
  const { status, paid, credited, writtenOff, accountNumber, trxId, note } = bill
  return {
    status,
    due: bill.due,
    paid: plainAmount(paid),
    credited: plainAmount(credited),
    written_off: plainAmount(writtenOff),
    account_number: accountNumber,
    trx_id: trxId,
    note,
  }
}

const plainAmount = (amount: string) => new Big(amount).toFixed()
