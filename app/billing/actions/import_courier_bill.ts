import type { Requester } from '#billing/actions/with_locked_bill'
import { postLedgerTransfer } from '#billing/actions/ledger'
import Bill from '#billing/models/bill'
import { loadBillingSettings } from '#billing/settings'
import { audit } from '#core/audit/audit'
import { BUSINESS_TIME_ZONE } from '#core/business_time_zone'
import { sameAmount } from '#core/money'
import { conflict } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** A bill as Auto Courier names it. */
export interface CourierBill {
  externalId: string
  externalUser: string
  /** Taka, at most two decimals, its charges included. */
  amount: string
}

/**
 * Takes a bill of Auto Courier in; told again it is the same one. Throws 409 where it was told with
 * another sum or for somebody else before.
 */
export async function importCourierBill(courierBill: CourierBill, by: Requester): Promise<Bill> {
  const { externalId, externalUser, amount } = courierBill
  const { seller } = await loadBillingSettings()
  return db.transaction(async (trx) => {
    const { rows } = await trx.rawQuery(
      `insert into bills (family, external_id, external_user, currency, amount, billing_date, zone, issued)
       values ('autocourier', ?, ?, 'BDT', ?, ?, ?, ?) on conflict (external_id) do nothing returning id`,
      [
        externalId,
        externalUser,
        amount,
        DateTime.now().setZone(BUSINESS_TIME_ZONE).toISODate()!,
        BUSINESS_TIME_ZONE,
        JSON.stringify({ buyer: { name: externalUser, email: '' }, seller }),
      ]
    )
    const bill = await Bill.query({ client: trx }).where({ externalId }).firstOrFail()
    if (!rows.length) {
      const isSame = sameAmount(bill.amount, amount) && bill.externalUser === externalUser
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
