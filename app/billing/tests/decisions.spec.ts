import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { creditBill, writeOffBill } from '#billing/actions/credit_or_write_off_bill'
import { sendBillMailOnRequest } from '#billing/actions/send_bill_mails'
import Bill from '#billing/models/bill'
import { payableInTaka } from '#billing/payable_amounts'
import { type Decision, runDecisions } from '#billing/tests/concurrent_decisions'
import {
  charge,
  freshTrx,
  makeBill,
  makeExternalBill,
  setMerchantAccount,
} from '#billing/tests/fixtures'
import { makeCustomer } from '#tests/support/people'
import { loadDollarRate } from '#core/settings/dollar_rate'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { typescriptLoaderArgs } from '../../../cli/paths.js'

const by = { actor: null }

const claimOf = (trxId = freshTrx(), taka: string | null = null) => ({
  accountNumber: '01711000000',
  reference: 'web',
  parts: [{ trxId, taka }],
})

/** Returns the amount due, computed only from ledger transfers. */
async function owed(id: number): Promise<number> {
  const { rows } = await db.rawQuery(
    `select coalesce(sum(case when debit = 'receivable' then amount else 0 end)
       - sum(case when credit = 'receivable' then amount else 0 end), 0) as owed
     from ledger_transfers where bill_id = ?`,
    [id]
  )
  return Number(rows[0].owed)
}

const countOf = async (table: string, where: object) =>
  Number((await db.from(table).where(where).count('* as total'))[0].total)

test.group('A bill', (group) => {
  group.setup(() => setMerchantAccount())

  test('is claimed, approved and posted to the ledger once each', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer(), [{ cost: '10' }, { cost: '2.500001' }])
    assert.match(bill.number!, /^B-\d{4}-\d{6}$/)
    assert.equal(Number(bill.amount), 12.500001)
    assert.equal(await owed(bill.id), 12.500001)
    const trxId = freshTrx()
    await reportBillPayment(bill, claimOf(` ${trxId.toLowerCase()} `), by)
    await bill.refresh()
    assert.containSubset(bill.$attributes, { status: 'processing', trxId })
    assert.isNotNull(bill.dollarRate)
    await assert.rejects(
      () => reportBillPayment(bill, claimOf(), by),
      'A payment of this bill is being checked.'
    )
    await approveBillPayment(bill, by)
    await bill.refresh()
    assert.equal(bill.status, 'success')
    assert.equal(await owed(bill.id), 0)
    await assert.rejects(() => rejectBillPayment(bill, null, by), 'This bill is already paid.')
    const log = await db
      .from('audit_entries')
      .where({ subject_type: 'bill', subject_id: String(bill.id) })
      .orderBy('id')
    assert.deepEqual(
      log.map(({ action, before, after }) => [action, before.status, after.status]),
      [
        ['bill.pay', 'pending', 'processing'],
        ['bill.approve', 'processing', 'success'],
      ]
    )
  })

  test('has approval and rejection emails, each with the reason of its own decision', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    await reportBillPayment(bill, claimOf(undefined, '500'), by)
    await approveBillPayment(bill, by)
    await reportBillPayment(bill, claimOf(), by)
    await rejectBillPayment(bill, 'No such transfer', by)
    const textOf = async (type: 'payment_approved' | 'payment_rejected') => {
      await sendBillMailOnRequest(bill, type, true, by)
      const mail = await db.from('outbox_mails').where('to', customer.email).orderBy('id', 'desc')
      return mail[0].text as string
    }
    assert.include(await textOf('payment_rejected'), 'No such transfer')
    assert.notInclude(await textOf('payment_approved'), 'No such transfer')
    await creditBill(bill, { amount: null, note: 'Goodwill' }, by)
    await bill.refresh()
    assert.containSubset(bill.$attributes, { status: 'success', note: null })
    assert.notInclude(await textOf('payment_approved'), 'No such transfer')
  })

  test('a bill whose payment was rejected can be paid again, even with the same transaction', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    const trxId = freshTrx()
    await reportBillPayment(bill, claimOf(trxId), by)
    await rejectBillPayment(bill, 'Not there', by)
    await bill.refresh()
    assert.containSubset(bill.$attributes, { status: 'rejected', note: 'Not there' })
    assert.equal(await owed(bill.id), 10)
    await reportBillPayment(bill, claimOf(trxId), by)
    await approveBillPayment(bill, by)
    assert.equal(await owed(bill.id), 0)
  })

  test('cannot be paid by a transaction that pays another bill of Berth or a partner', async ({
    assert,
  }) => {
    const [one, other] = [
      await makeBill(await makeCustomer()),
      await makeBill(await makeCustomer()),
    ]
    const partnerBill = await makeExternalBill()
    const trxId = freshTrx()
    await reportBillPayment(one, claimOf(trxId), by)
    const used = 'This transaction ID was already used for another payment.'
    await assert.rejects(() => reportBillPayment(other, claimOf(trxId.toLowerCase()), by), used)
    await assert.rejects(() => reportBillPayment(partnerBill, claimOf(trxId), by), used)
    await approveBillPayment(one, by)
    await assert.rejects(() => reportBillPayment(other, claimOf(trxId), by), used)
    assert.equal((await Bill.findOrFail(other.id)).status, 'pending')
  })

  test('is paid in parts, and the last part takes the rounding difference', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer(), [{ cost: '33.333333' }])
    const { currency, due, amount, issued } = bill
    const open = { currency, due, amount, issued, dollarRate: null }
    const all = payableInTaka(open, await loadDollarRate())
    const sent = [
      { trxId: freshTrx(), taka: '1000' },
      { trxId: freshTrx(), taka: '1000.01' },
    ]
    await reportBillPayment(bill, { accountNumber: '017', reference: null, parts: sent }, by)
    await approveBillPayment(bill, by)
    await bill.refresh()
    assert.equal(bill.status, 'pending')
    assert.closeTo(await owed(bill.id), Number(bill.due), 1e-9)
    assert.isAbove(Number(bill.due), 0)
    const more = {
      accountNumber: '017',
      reference: null,
      parts: [{ trxId: freshTrx(), taka: all }],
    }
    await assert.rejects(() => reportBillPayment(bill, more, by), /more than the amount due/)
    await reportBillPayment(bill, claimOf(), by)
    await approveBillPayment(bill, by)
    await bill.refresh()
    assert.equal(bill.status, 'success')
    assert.equal(await owed(bill.id), 0)
    assert.equal(await countOf('bill_payments', { bill_id: bill.id, status: 'approved' }), 3)
  })

  test('a bill is deleted if one part is credited and the rest is written off', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    await creditBill(bill, { amount: '4', note: 'Too much' }, by)
    const rest = { amount: '6.000001', note: 'x' }
    await assert.rejects(() => writeOffBill(bill, rest, by), /more than the remaining amount/)
    await writeOffBill(bill, { amount: null, note: 'Gone' }, by)
    await bill.refresh()
    assert.containSubset(bill.$attributes, { status: 'deleted' })
    assert.equal(await owed(bill.id), 0)
    const [note] = await db.from('ledger_transfers').where({ bill_id: bill.id, kind: 'credited' })
    assert.match(note.number, /^C-\d{4}-\d{6}$/)
  })

  test('cannot be changed after it was issued, nor can its ledger, even by SQL', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const { id } = await makeBill(customer)
    await charge(customer.id, [{ cost: '0.001' }])
    const open = await db
      .from('bill_charges')
      .where('account_id', customer.id)
      .whereNull('bill_id')
      .firstOrFail()
    const refused = [
      () => db.from('bills').where({ id }).update({ amount: 1 }),
      () => db.from('bills').where({ id }).update({ issued: '{}' }),
      () => db.from('bills').where({ id }).delete(),
      () => db.from('bill_charges').where({ bill_id: id }).update({ cost: 1 }),
      () => db.from('bill_charges').where({ bill_id: id }).update({ bill_id: null }),
      () => db.from('bill_charges').where({ source: open.source }).update({ cost: 1 }),
      () => db.from('bill_charges').where({ bill_id: id }).delete(),
      () => db.from('ledger_transfers').where({ bill_id: id }).update({ amount: 1 }),
      () => db.from('ledger_transfers').where({ bill_id: id }).delete(),
    ]
    for (const change of refused)
      await assert.rejects(change, /stays as it is|may only be added to|permission denied/)
    // The database rejects a bill that becomes paid without a payment, and a change of `paid` without a
    // transfer.
    await assert.rejects(() => db.from('bills').where({ id }).update({ status: 'success' }))
    await assert.rejects(() => db.from('bills').where({ id }).update({ paid: 11 }))
  })
})

test.group('Concurrent decisions', (group) => {
  let second: ChildProcess
  group.setup(async () => {
    second = fork(app.makePath('app/billing/tests/decision_process.ts'), [], {
      execArgv: typescriptLoaderArgs,
      env: { ...process.env, BERTH_ROLE: 'worker' },
    })
    await told('ready')
    return () => void second.kill('SIGKILL')
  })

  /** Waits for a message of the second process. Ignores messages that AdonisJS sends. */
  async function told(about: 'ready' | 'done'): Promise<{ done?: number; error?: string }> {
    for (;;) {
      const [message] = (await once(second, 'message')) as [Record<string, never>]
      if (typeof message === 'object' && (about in message || 'error' in message)) return message
    }
  }

  async function there(decisions: Decision[]): Promise<number> {
    second.send(decisions)
    const { done, error } = await told('done')
    if (error) throw new Error(error)
    return done!
  }

  /** Runs half of the decisions in each of the two processes. Returns how many succeeded. */
  async function both(decisions: Decision[]): Promise<number> {
    const half = decisions.length / 2
    const done = await Promise.all([
      runDecisions(decisions.slice(0, half)),
      there(decisions.slice(half)),
    ])
    return done[0] + done[1]
  }

  test('a process sends its first email while all its database connections wait for the same bill', async ({
    assert,
  }) => {
    const { id } = await makeBill(await makeCustomer())
    const claims = Array.from({ length: 50 }, (): Decision => ({
      move: 'pay',
      id,
      trxId: freshTrx(),
    }))
    assert.equal(await there(claims), 1)
  })

  test('200 decisions from two processes decide a bill once, with one email and one audit entry', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    const { id } = bill
    await reportBillPayment(bill, claimOf(), by)
    const moves = Array.from({ length: 200 }, (_one, index): Decision => ({
      id,
      trxId: freshTrx(),
      move: index % 2 ? 'approve' : 'reject',
    }))
    assert.equal(await both(moves), 1)
    await bill.refresh()
    const decided = bill.status === 'success' ? 'approve' : 'reject'
    assert.equal(await owed(id), bill.status === 'success' ? 0 : 10)
    const kind = decided === 'approve' ? 'payment_approved' : 'payment_rejected'
    assert.equal(await countOf('bill_mails', { bill_id: id, mail_type: kind }), 1)
    const log = { subject_type: 'bill', subject_id: String(id) }
    assert.equal(await countOf('audit_entries', { ...log, action: `bill.${decided}` }), 1)
    assert.equal(await countOf('audit_entries', log), 2)
  })

  test('one transaction claimed for 100 bills at once is accepted for one of them', async ({
    assert,
  }) => {
    const bills: Bill[] = []
    for (let count = 0; count < 100; count++) bills.push(await makeExternalBill('100'))
    const trxId = freshTrx()
    const claims = bills.map(({ id }): Decision => ({ move: 'pay', id, trxId }))
    assert.equal(await both(claims), 1)
    assert.equal(await countOf('bill_payments', { trx_id: trxId }), 1)
    const ids = bills.map(({ id }) => id)
    const waiting = await Bill.query().whereIn('id', ids).where('status', 'processing')
    assert.lengthOf(waiting, 1)
  })

  test('one bill claimed with 100 transactions at once accepts one of them', async ({ assert }) => {
    const { id } = await makeBill(await makeCustomer())
    const claims = Array.from({ length: 100 }, (): Decision => ({
      move: 'pay',
      id,
      trxId: freshTrx(),
    }))
    assert.equal(await both(claims), 1)
    assert.equal(await countOf('bill_payments', { bill_id: id }), 1)
  })
})
