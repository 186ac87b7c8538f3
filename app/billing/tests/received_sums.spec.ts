import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { claimBillPayment } from '#billing/actions/claim_bill_payment'
import { makeBills } from '#billing/charging/make_bills'
import Bill from '#billing/models/bill'
import { loadAccountCreditBalance } from '#billing/queries/account_credit_balance'
import { listUnmatchedPayments, loadTransferMatches } from '#billing/queries/statements'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import { storeStatement } from '#billing/statements/store_statement'
import {
  charge,
  freshTrx,
  makeBill,
  makeExternalBill,
  makeStatement,
  setMerchant,
} from '#billing/tests/fixtures'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import Big from 'big.js'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

const by = { actor: null }

async function claim(bill: Bill, takas: (string | null)[] = [null]) {
  const parts = takas.map((taka) => ({ trxId: freshTrx(), taka }))
  await claimBillPayment(bill, { accountNumber: '01711000000', reference: null, parts }, by)
  const payments: { trx_id: string; taka: string }[] = await db
    .from('bill_payments')
    .where({ bill_id: bill.id, status: 'claimed' })
    .orderBy('id')
  return payments.map(({ trx_id: trxId, taka }) => ({ trxId, taka }))
}

const plus = (taka: string, more: string) => new Big(taka).plus(more).toFixed(2)

/** Stores a statement with a column of statuses. */
async function makeStatusStatement(rows: [trxId: string, amount: string, status: string][]) {
  const text = ['Trx Id,Amount,Status', ...rows.map((row) => row.join(','))].join('\n')
  const handed = { operator: `Pay ${randomUUID()}`, filename: 'day.csv', file: Buffer.from(text) }
  const id = await storeStatement(handed, by)
  const columns = { trx_id: 0, amount: 1, account: -1, at: -1, direction: -1, status: 2 }
  await saveColumnMapping(id, columns, by)
  return id
}

const movedOf = async (billId: number) => {
  const rows: { kind: string; amount: string }[] = await db
    .from('ledger_transfers')
    .where('bill_id', billId)
    .orderBy('id')
  return rows.map(({ kind, amount }) => [kind, Number(amount)])
}

test.group('The sum that arrived', (group) => {
  group.setup(() => setMerchant())
  failOnSecondConnections(group)

  test('is approved if it is less, and the rest stays due', async ({ assert }) => {
    const bill = await makeExternalBill('1500.50')
    const [{ trxId, taka }] = await claim(bill)
    await makeStatement([{ trxId, amount: '1400.50', account: '01711000000' }])
    await assert.rejects(() => approveBillPayment(bill, by), /statement shows .*1,400\.50/)
    await assert.rejects(() => approveBillPayment(bill, by, { sum: '1450' }), /statement shows/)
    await approveBillPayment(bill, by, { sum: '1400.50' })
    await bill.refresh()
    assert.deepEqual([bill.status, Number(bill.due)], ['pending', 100])
    assert.match(bill.note!, /1,400\.50 arrived instead of .*1,500\.50\. The rest stays due/)
    const [payment] = await db.from('bill_payments').where('bill_id', bill.id)
    assert.deepEqual([Number(payment.taka), payment.reported_taka], [1400.5, taka])
    await claim(bill)
    await approveBillPayment(bill, by)
    await bill.refresh()
    assert.equal(bill.status, 'success')
  })

  test('becomes credit beyond the bill, which the next bill uses once', async ({ assert }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    const [{ trxId, taka }] = await claim(bill)
    const received = new Big(taka).times(2).toFixed(2)
    await makeStatement([{ trxId, amount: received, account: '01711000000' }])
    const tried = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => approveBillPayment(bill, by, { sum: received })),
      rejectBillPayment(bill, null, by),
    ])
    assert.lengthOf(
      tried.filter(({ status }) => status === 'fulfilled'),
      1
    )
    await bill.refresh()
    if (bill.status === 'rejected') {
      assert.equal(Number(await loadAccountCreditBalance(customer.id)), 0)
      return
    }
    assert.deepEqual([bill.status, Number(bill.paid)], ['success', 10])
    assert.equal(Number(await loadAccountCreditBalance(customer.id)), 10)
    assert.deepEqual(await movedOf(bill.id), [
      ['billed', 10],
      ['paid', 10],
      ['overpaid', 10],
    ])
    await charge(customer.id, [{ cost: '25' }])
    await makeBills(DateTime.utc())
    const next = await Bill.query().where('accountId', customer.id).orderBy('id', 'desc').first()
    assert.equal(Number(next!.amount), 15)
    assert.equal(Number(await loadAccountCreditBalance(customer.id)), 0)
  })

  test('of several transfers pays the bill to the micro-dollar', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer(), [{ cost: '33.333333' }])
    const sent = await claim(bill, ['1000', '1000.01'])
    const before = await db.from('bill_payments').where('bill_id', bill.id).sum('amount as total')
    await makeStatusStatement([
      [sent[0].trxId, '1000', 'Failed'],
      [sent[1].trxId, plus(sent[1].taka, '500'), 'Success'],
    ])
    await approveBillPayment(bill, by, { sum: '1500.01' })
    await bill.refresh()
    const payments = await db.from('bill_payments').where('bill_id', bill.id).orderBy('id')
    assert.deepEqual(
      payments.map(({ status, taka }) => [status, taka]),
      [
        ['rejected', '1000.00'],
        ['approved', '1500.01'],
      ]
    )
    assert.equal(bill.paid, payments[1].amount)
    const share = new Big(before[0].total).times('1500.01').div('2000.01').round(6, Big.roundDown)
    assert.equal(bill.paid, share.toFixed(6))
  })

  test('stays as reported if staff choose so, and nothing that failed is received', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    const [{ trxId, taka }] = await claim(bill)
    await makeStatusStatement([[trxId, taka, 'Reversed']])
    await assert.rejects(() => approveBillPayment(bill, by), /statement shows/)
    await assert.rejects(() => approveBillPayment(bill, by, { sum: '0' }), /no money arrived/)
    await approveBillPayment(bill, by, { sum: taka })
    await bill.refresh()
    assert.equal(bill.status, 'success')
  })
})

test.group('A transfer that failed on a statement', (group) => {
  group.setup(() => setMerchant())

  test('is told on its bill, until it arrives', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer())
    const [{ trxId, taka }] = await claim(bill)
    const on = async () => (await loadTransferMatches([trxId]))[0]
    const id = await makeStatusStatement([[trxId, taka, 'Pending']])
    assert.deepEqual(await on(), {
      trx_id: trxId,
      found: null,
      failed: { statement_id: id, status: 'Pending' },
    })
    const { rows } = await listUnmatchedPayments()
    assert.equal(rows.find((row) => row.trx_id === trxId)?.failed ?? 'Pending', 'Pending')
    await makeStatusStatement([[trxId, taka, 'Success']])
    assert.containSubset(await on(), { found: { state: 'exact' }, failed: null })
  })

  test('is reversed although it arrived before', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer())
    const [{ trxId, taka }] = await claim(bill)
    const id = await makeStatusStatement([
      [trxId, taka, 'Success'],
      [trxId, taka, 'Reversed'],
    ])
    const [match] = await loadTransferMatches([trxId])
    assert.containSubset(match, {
      found: { state: 'reversed', label: 'Reversed' },
      failed: { statement_id: id, status: 'Reversed' },
    })
  })
})
