import { payableInTaka } from '#billing/payable_amounts'
import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { creditBill, writeOffBill } from '#billing/actions/credit_or_write_off_bill'
import { type EnteredPayment, enterPayment } from '#billing/actions/enter_payment'
import { recordCreditRefund } from '#billing/actions/record_credit_refund'
import { makeBills } from '#billing/charging/make_bills'
import Bill from '#billing/models/bill'
import { loadAccountCreditBalance } from '#billing/queries/account_credit_balance'
import { listAccountCreditEntries } from '#billing/queries/account_credit_entries'
import { listUnmatchedPayments, loadTransferMatches } from '#billing/queries/statements'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import { storeStatement } from '#billing/statements/store_statement'
import {
  charge,
  freshTrx,
  makeBill,
  makeExternalBill,
  makeStatement,
  setMerchantAccount,
} from '#billing/tests/fixtures'
import { loadDollarRate } from '#core/settings/dollar_rate'
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
  await reportBillPayment(bill, { accountNumber: '01711000000', reference: null, parts }, by)
  const payments: { trx_id: string; taka: string }[] = await db
    .from('bill_payments')
    .where({ bill_id: bill.id, status: 'claimed' })
    .orderBy('id')
  return payments.map(({ trx_id: trxId, taka }) => ({ trxId, taka }))
}

const plus = (taka: string, more: string) => new Big(taka).plus(more).toFixed(2)

async function makeStatusStatement(rows: [trxId: string, amount: string, status: string][]) {
  const text = ['Trx Id,Amount,Status', ...rows.map((row) => row.join(','))].join('\n')
  const handed = { operator: `Pay ${randomUUID()}`, filename: 'day.csv', file: Buffer.from(text) }
  const id = await storeStatement(handed, by)
  const columns = { trx_id: 0, amount: 1, account: -1, at: -1, direction: -1, status: 2 }
  await saveColumnMapping(id, { columns }, by)
  return id
}

const movedOf = async (billId: number) => {
  const rows: { kind: string; amount: string }[] = await db
    .from('ledger_transfers')
    .where('bill_id', billId)
    .orderBy('id')
  return rows.map(({ kind, amount }) => [kind, Number(amount)])
}

test.group('A received sum that differs from the reported one', (group) => {
  group.setup(() => setMerchantAccount())
  failOnSecondConnections(group)

  test('is approved if it is smaller, and the rest stays due', async ({ assert }) => {
    const bill = await makeExternalBill('1500.50')
    const [{ trxId, taka }] = await claim(bill)
    await makeStatement([{ trxId, amount: '1400.50', account: '01711000000' }])
    await assert.rejects(() => approveBillPayment(bill, by), /statement shows .*1,400\.50/)
    await assert.rejects(
      () => approveBillPayment(bill, by, { approvedTaka: '1450' }),
      /statement shows/
    )
    await approveBillPayment(bill, by, { approvedTaka: '1400.50' })
    await bill.refresh()
    assert.deepEqual([bill.status, Number(bill.due)], ['pending', 100])
    assert.match(bill.note!, /1,400\.50 arrived instead of .*1,500\.50\. The remainder stays due/)
    const [payment] = await db.from('bill_payments').where('bill_id', bill.id)
    assert.deepEqual([Number(payment.taka), payment.reported_taka], [1400.5, taka])
    await claim(bill)
    await approveBillPayment(bill, by)
    await bill.refresh()
    assert.equal(bill.status, 'success')
  })

  test('becomes account credit beyond the amount of the bill, and the next bill uses that credit once', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    const [{ trxId, taka }] = await claim(bill)
    const received = new Big(taka).times(2).toFixed(2)
    await makeStatement([{ trxId, amount: received, account: '01711000000' }])
    const tried = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => approveBillPayment(bill, by, { approvedTaka: received })),
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

  test('pays the bill in full, although the customer reported less', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer())
    const { currency, due, amount, dollarRate, issued } = bill
    const payable = payableInTaka({ currency, due, amount, dollarRate, issued }, dollarRate!)
    const [{ trxId }] = await claim(bill, ['500'])
    await makeStatement([{ trxId, amount: payable, account: '01711000000' }])
    await approveBillPayment(bill, by, { approvedTaka: payable })
    await bill.refresh()
    assert.deepEqual([bill.status, Number(bill.due)], ['success', 0])
    assert.match(bill.note!, /arrived instead of .*500\.00\.$/)
  })

  test('pays exactly its share of the bill if another transfer of the report failed', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer(), [{ cost: '33.333333' }])
    const sent = await claim(bill, ['1000', '1000.01'])
    const before = await db.from('bill_payments').where('bill_id', bill.id).sum('amount as total')
    await makeStatusStatement([
      [sent[0].trxId, '1000', 'Failed'],
      [sent[1].trxId, plus(sent[1].taka, '500'), 'Success'],
    ])
    await approveBillPayment(bill, by, { approvedTaka: '1500.01' })
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

  test('is ignored if staff approve the reported sum, and a failed transfer counts as 0', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    const [{ trxId, taka }] = await claim(bill)
    await makeStatusStatement([[trxId, taka, 'Reversed']])
    await assert.rejects(() => approveBillPayment(bill, by), /statement shows/)
    await assert.rejects(
      () => approveBillPayment(bill, by, { approvedTaka: '0' }),
      /no money arrived/
    )
    await approveBillPayment(bill, by, { approvedTaka: taka })
    await bill.refresh()
    assert.equal(bill.status, 'success')
  })
})

test.group('A transfer that a statement lists as failed, pending or reversed', (group) => {
  group.setup(() => setMerchantAccount())

  test('is reported as such until a statement lists it as successful', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer())
    const [{ trxId, taka }] = await claim(bill)
    const on = async () => (await loadTransferMatches([trxId]))[0]
    const id = await makeStatusStatement([[trxId, taka, 'Pending']])
    assert.deepEqual(await on(), {
      trx_id: trxId,
      found: null,
      failed: { statement_id: id, status: 'Pending' },
      similar: null,
    })
    const { rows } = await listUnmatchedPayments()
    assert.equal(rows.find((row) => row.trx_id === trxId)?.failed ?? 'Pending', 'Pending')
    await makeStatusStatement([[trxId, taka, 'Success']])
    assert.containSubset(await on(), { found: { state: 'exact' }, failed: null })
  })

  test('counts as reversed, even if the statement first lists it as successful', async ({
    assert,
  }) => {
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

const today = () => DateTime.utc().minus({ days: 1 }).toISODate()!

const cash = (taka: string, more: Partial<EnteredPayment> = {}): EnteredPayment => ({
  method: 'cash',
  taka,
  paidOn: today(),
  reference: freshTrx(),
  note: null,
  ...more,
})

const fulfilled = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length

test.group('A payment entered by staff', (group) => {
  group.setup(() => setMerchantAccount())

  test('has no fee for mobile money, and the rest of the bill stays due', async ({ assert }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    const rate = await loadDollarRate()
    const whole = new Big(rate).times(10).toFixed(2)
    await enterPayment(bill, cash(new Big(whole).div(2).toFixed(2, 0)), by)
    await bill.refresh()
    assert.equal(bill.status, 'pending')
    assert.closeTo(Number(bill.due), 5, 0.001)
    await enterPayment(bill, cash(whole, { method: 'bank', reference: 'FT26331A1' }), by)
    await bill.refresh()
    assert.equal(bill.status, 'success')
    assert.closeTo(Number(await loadAccountCreditBalance(customer.id)), 5, 0.001)
    const [entry] = await listAccountCreditEntries(customer.id)
    assert.containSubset(entry, { reason: `Overpaid on ${bill.number}`, used_on: null })
  })

  test('counts once if two staff members enter it, or a customer reports it meanwhile', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    const other = await makeBill(await makeCustomer())
    const payment = cash('100', { reference: 'MR-2026-' + freshTrx() })
    const claims = [bill, bill, other, other].map((one) => enterPayment(one, payment, by))
    assert.equal(fulfilled(await Promise.allSettled(claims)), 1)
    const third = await makeBill(await makeCustomer())
    const results = await Promise.allSettled([
      enterPayment(third, cash('100000'), by),
      claim(third),
    ])
    assert.equal(fulfilled(results), 1)
    await assert.rejects(() => enterPayment(other, cash('5', { paidOn: '2026-02-30' }), by))
    const tomorrow = DateTime.utc().plus({ days: 2 }).toISODate()!
    await assert.rejects(() => enterPayment(other, cash('5', { paidOn: tomorrow }), by))
    await assert.rejects(() => enterPayment(other, cash('0'), by))
  })
})

test.group('A credit note on a paid bill', (group) => {
  group.setup(() => setMerchantAccount())

  test('gives account credit up to the paid amount, however many staff issue one at once', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    await claim(bill)
    await approveBillPayment(bill, by)
    const issue = (amount: string | null) => creditBill(bill, { amount, note: 'Outage' }, by)
    await assert.rejects(() => issue('10.01'))
    await assert.rejects(() => writeOffBill(bill, { amount: null, note: 'x' }, by), /already paid/)
    assert.equal(fulfilled(await Promise.allSettled([issue('4'), issue('4'), issue('4')])), 2)
    await issue(null)
    await assert.rejects(() => issue('1'), /already credited/)
    assert.equal(Number(await loadAccountCreditBalance(customer.id)), 10)
    await bill.refresh()
    assert.deepEqual([bill.status, Number(bill.credited)], ['success', 0])
    const paidOut = ['6', '6', '6'].map((amount) =>
      recordCreditRefund(customer.id, { amount, trxId: freshTrx() }, by)
    )
    assert.equal(fulfilled(await Promise.allSettled(paidOut)), 1)
    assert.equal(Number(await loadAccountCreditBalance(customer.id)), 4)
    // 10 were paid in and 6 were paid out.
    const { rows } = await db.rawQuery(
      `select coalesce(sum(case when debit = 'cash' then amount when credit = 'cash' then -amount end), 0) as cash
       from ledger_transfers where bill_id = ? or account_id = ?`,
      [bill.id, customer.id]
    )
    assert.equal(Number(rows[0].cash), 4)
  })
})
