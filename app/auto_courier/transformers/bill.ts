import type { CourierBillRow } from '#auto_courier/transformers/page_props'
import type { Bill } from '#billing/public'
import { dollarsToTaka } from '#core/money'

export function courierBillRow(bill: Bill): CourierBillRow {
  const { id, externalId, externalUser, accountNumber, trxId, reference, status, note } = bill
  return {
    _id: externalId!,
    id,
    user_id: externalUser!,
    account_number: accountNumber,
    trx_id: trxId,
    reference,
    amount: dollarsToTaka(bill.amount, '1'),
    status,
    note,
    createdAt: bill.createdAt.toISO()!,
  }
}
