import { makeBills } from '#billing/charging/make_bills'
import { recordCreditRefund } from '#billing/actions/record_credit_refund'
import Bill from '#billing/models/bill'
import { loadAccountCreditBalance } from '#billing/queries/account_credit_balance'
import { charge, freshTrx, openConnections } from '#billing/tests/fixtures'
import { CONCURRENT_CUSTOMER_COUNT, makeCustomer } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const by = { actor: null }
const refundsOf = (accountId: number) =>
  db.from('ledger_transfers').where({ account_id: accountId, kind: 'refunded' })

test.group('Account credit', (group) => {
  failOnSecondConnections(group)

  test('is the amount by which negative charges exceed the others, and the next bill uses it', async ({
    assert,
  }) => {
    const { id } = await makeCustomer()
    assert.equal(Number(await loadAccountCreditBalance(id)), 0)
    await charge(id, [{ cost: '-21' }, { cost: '5' }])
    assert.equal(Number(await loadAccountCreditBalance(id)), 16)
    await makeBills(DateTime.utc())
    assert.lengthOf(await Bill.query().where('accountId', id), 0)
    await charge(id, [{ cost: '20' }])
    await makeBills(DateTime.utc())
    const bill = await Bill.findByOrFail('accountId', id)
    assert.equal(Number(bill.amount), 4)
    assert.equal(Number(await loadAccountCreditBalance(id)), 0)
  })

  test('is paid out once and within the balance, and no bill uses it afterwards', async ({
    assert,
  }) => {
    const { id } = await makeCustomer()
    await charge(id, [{ cost: '-10' }])
    const trxId = freshTrx()
    await assert.rejects(() => recordCreditRefund(id, { amount: '10.01', trxId }, by))
    // The first transaction ID occurs twice. The credit of 10 suffices for only one refund of 6.
    const asked = [trxId, trxId, freshTrx(), freshTrx()]
    await openConnections(asked.length)
    const paid = await Promise.allSettled(
      asked.map((one) => recordCreditRefund(id, { amount: '6', trxId: one }, by))
    )
    assert.lengthOf(
      paid.filter(({ status }) => status === 'fulfilled'),
      1
    )
    assert.equal(Number(await loadAccountCreditBalance(id)), 4)
    const [transfer] = await refundsOf(id)
    assert.deepEqual([transfer.debit, transfer.credit], ['income', 'cash'])
    // The bill is 16: the charge of 20 minus the credit of 4 that was not paid out.
    await charge(id, [{ cost: '20' }])
    await makeBills(DateTime.utc())
    assert.equal(Number((await Bill.findByOrFail('accountId', id)).amount), 16)
    assert.lengthOf(await refundsOf(id), 1)
  })

  test('is paid out for more accounts at the same time than there are database connections', async ({
    assert,
  }) => {
    const customers = await Promise.all(
      Array.from({ length: CONCURRENT_CUSTOMER_COUNT }, () => makeCustomer())
    )
    for (const { id } of customers) await charge(id, [{ cost: '-10' }])
    await Promise.all(
      customers.map(({ id }) => recordCreditRefund(id, { amount: '10', trxId: freshTrx() }, by))
    )
    for (const { id } of customers) assert.equal(Number(await loadAccountCreditBalance(id)), 0)
  })
})
