import { approveBillPayment } from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { makeBills } from '#billing/charging/make_bills'
import { loadBillingOverview } from '#billing/queries/overview'
import { freshTrx, makeBill, makeExternalBill } from '#billing/tests/fixtures'
import { billingTimeZone } from '#core/settings/regional_settings'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import Big from 'big.js'
import { DateTime } from 'luxon'

const by = { actor: null }
const read = async () => {
  const { months, waiting, overdue } = await loadBillingOverview(DateTime.utc())
  const bills = (rows: { bills: number }[]) => rows.reduce((total, row) => total + row.bills, 0)
  return {
    months,
    last: months.at(-1)!,
    waiting: bills(waiting),
    overdue: bills(overdue),
    older: overdue.find(({ age }) => age === 'older')?.bills ?? 0,
  }
}

test.group('The billing overview', () => {
  test('sums billed and paid amounts by currency, and counts new and lost customers, waiting and overdue bills', async ({
    assert,
  }) => {
    // Bills all charges of other tests now. Later they would change the numbers below.
    await makeBills(DateTime.utc())
    const before = await read()
    assert.lengthOf(before.months, 12)
    const [payer, late, lost] = await Promise.all([makeCustomer(), makeCustomer(), makeCustomer()])
    const paid = await makeBill(payer, [{ cost: '12.5' }])
    await makeBill(late, [{ cost: '3' }], DateTime.utc().minus({ days: 45 }))
    const local = DateTime.now().setZone(billingTimeZone())
    await makeBill(lost, [{ cost: '3' }], local.minus({ months: 4 }))
    const partnerBill = await makeExternalBill('150')
    for (const bill of [paid, partnerBill]) {
      const parts = [{ trxId: freshTrx(), taka: null }]
      await reportBillPayment(bill, { accountNumber: '017', reference: null, parts }, by)
    }
    await approveBillPayment(paid, by)
    const after = await read()
    const more = (name: 'billed_usd' | 'paid_usd' | 'billed_bdt' | 'paid_bdt') =>
      new Big(after.last[name]).minus(before.last[name]).toNumber()
    assert.deepEqual(
      [more('billed_usd'), more('paid_usd'), more('billed_bdt'), more('paid_bdt')],
      [18.5, 12.5, 150, 0]
    )
    assert.equal(after.last.new_customers - before.last.new_customers, 1)
    // The last bill was four months ago, so the customer is lost in the month after it.
    assert.equal(after.months.at(-4)!.lost_customers - before.months.at(-4)!.lost_customers, 1)
    assert.equal(after.waiting - before.waiting, 1)
    assert.equal(after.overdue - before.overdue, 2)
    assert.equal(after.older - before.older, 2)
  })
})
