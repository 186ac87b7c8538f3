import { claimBillPayment } from '#billing/actions/claim_bill_payment'
import type Bill from '#billing/models/bill'
import { freshTrx } from '#billing/tests/fixtures'

export const PAYER_NUMBER = '01711000000'

/** Claims a payment as a customer does. Returns the refreshed bill. */
export async function claimed(bill: Bill): Promise<Bill> {
  const parts = [{ trxId: freshTrx(), taka: null }]
  await claimBillPayment(
    bill,
    { accountNumber: PAYER_NUMBER, reference: 'harbour', parts },
    { actor: null }
  )
  return bill.refresh()
}
