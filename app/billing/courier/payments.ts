import type { Requester } from '#billing/actions/with_locked_bill'
import { claimBillPayment, normalizeTransactionId } from '#billing/actions/claim_bill_payment'
import Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { notFound, AppError } from '#core/app_error'

/** A payment of all that is left of a bill, as Auto Courier tells it. */
export interface CourierPayment {
  externalId: string
  accountNumber: string
  trxId: string
  reference: string | null
}

/**
 * Claims a payment; told again while it waits or was approved it is the same one.
 * @throws 404 for a bill that was never told, 409 and 422 as `claimBillPayment`
 */
export async function importCourierPayment(payment: CourierPayment, by: Requester): Promise<Bill> {
  const { externalId, accountNumber, trxId, reference } = payment
  const bill = await Bill.query().where({ family: 'autocourier', externalId }).first()
  if (!bill) throw notFound('bill')
  const parts = [{ trxId, taka: null }]
  try {
    return await claimBillPayment(bill, { accountNumber, reference, parts }, by)
  } catch (error) {
    if (!(error instanceof AppError) || !(await isClaimed(bill, payment))) throw error
    return bill.refresh()
  }
}

async function isClaimed(
  { id: billId }: Bill,
  { trxId, accountNumber }: CourierPayment
): Promise<boolean> {
  const payment = await BillPayment.query()
    .where({ billId, accountNumber, trxId: normalizeTransactionId(trxId) })
    .whereNot('status', 'rejected')
    .first()
  return payment !== null
}
