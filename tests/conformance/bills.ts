import { claimBillPayment } from '#billing/actions/claim_bill_payment'
import type Bill from '#billing/models/bill'
import { freshTrx } from '#billing/tests/fixtures'

/** What whoever pays says of it. */
export const PAYER_NUMBER = '01711000000'

/** A bill that somebody says to have paid. */
export async function claimed(bill: Bill): Promise<Bill> {
  const parts = [{ trxId: freshTrx(), taka: null }]
  await claimBillPayment(
    bill,
    { accountNumber: PAYER_NUMBER, reference: 'harbour', parts },
    { actor: null }
  )
  return bill.refresh()
}
