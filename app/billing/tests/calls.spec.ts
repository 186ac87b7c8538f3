import { charge, claim, freshTrx, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import type Person from '#identity/models/person'
import Bill from '#billing/models/bill'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import Big from 'big.js'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

type Facts = Record<string, never>

test.group("A customer's bills", (group) => {
  failOnSecondConnections(group)
  let customer: Person
  let visitor: Visitor
  group.setup(() => setMerchantAccount('01800000000'))
  group.each.setup(async () => {
    customer = await makeCustomer()
    visitor = await signIn(customer)
  })

  test('show their charges and the payable amount, which the server calculates', async ({
    assert,
  }) => {
    const bill = await makeBill(customer, [
      { type: 'server_instance', name: 'web-1', cost: '10' },
      { type: 'vault', name: 'photos', billType: 'Storage', period: '2026-10', cost: '1.5' },
    ])
    const list = (await visitor.page('/billing')).json.props as Facts
    assert.containSubset(list, { count: 1, paymentStatus: { pending: 'Pending' } })
    assert.containSubset(list.bills, [{ id: bill.id, amount: '11.5', payment_status: 'pending' }])
    const props = (await visitor.page(`/billing/${bill.id}`)).json.props as Facts
    const rate = props.rate as string
    const taka = (dollars: string) => new Big(dollars).times(rate).toFixed(2)
    assert.deepEqual(props.totals, { servers: taka('10'), vaults: taka('1.5'), all: taka('11.5') })
    assert.equal(props.totalPayable, new Big('11.5').times(rate).times('1.0175').toFixed(2))
    assert.equal(props.merchantAccount, '01800000000')
    assert.containSubset(props.bill, { user_id: customer.id })
  })

  test('are paid once, and a browser cannot set their amount, status or rate', async ({
    assert,
  }) => {
    const bill = await makeBill(customer)
    const wrong = await visitor.post('/billing/pay', { id: bill.id })
    assert.equal(wrong.status, 422)
    assert.properties(wrong.json.errors, ['account_number', 'trx_id'])
    const more = await visitor.post('/billing/pay', claim({ id: bill.id, amount: '99999' }))
    assert.equal(more.status, 422)
    const sent = claim({ id: bill.id, paid: '10', status: 'success', dollar_rate: '1' })
    const { status, json } = await visitor.post('/billing/pay', sent)
    assert.equal(status, 200)
    assert.isTrue(json.success)
    await bill.refresh()
    assert.equal(bill.status, 'processing')
    assert.equal(Number(bill.paid), 0)
    assert.notEqual(Number(bill.dollarRate), 1)
    assert.equal((await visitor.post('/billing/pay', claim({ id: bill.id }))).status, 409)
    const other = await makeBill(await makeCustomer())
    assert.equal((await visitor.post('/billing/pay', claim({ id: other.id }))).status, 404)
  })

  test('can be paid while the account is suspended', async ({ assert }) => {
    const bill = await makeBill(customer)
    await db.from('accounts').where('id', customer.id).update({ status: 'suspended' })
    assert.equal((await visitor.post('/billing/pay', claim({ id: bill.id }))).status, 200)
  })
})

test.group('Staff and bills', (group) => {
  let staff: Visitor
  group.setup(() => setMerchantAccount())
  group.each.setup(async () => void (staff = await signIn(await makeStaff())))

  const waiting = async () => {
    const bill = await makeBill(await makeCustomer())
    const parts = [{ trxId: freshTrx(), taka: null }]
    return reportBillPayment(
      bill,
      { accountNumber: '01711', reference: 'web', parts },
      { actor: null }
    )
  }

  test('staff find, approve and reject claimed payments, and the menu counts them', async ({
    assert,
  }) => {
    const [one, other] = [await waiting(), await waiting()]
    const path = `/admin/billing/list?status=processing&search=${one.trxId}`
    const list = (await staff.page(path)).json.props as Facts
    assert.containSubset(list, { count: 1 })
    assert.containSubset(list.bills, [{ id: one.id, account_number: '01711', reference: 'web' }])
    const shown = (await staff.page(`/admin/billing/details/${one.id}`)).json.props as Facts
    assert.isAtLeast((shown.badges as Facts)['/admin/billing/list'], 2)
    assert.isNumber(shown.next)
    assert.equal((await staff.post('/admin/billing/approve', { id: one.id })).status, 200)
    assert.equal((await staff.post('/admin/billing/reject', { id: one.id })).status, 409)
    const note = 'Not in the statement'
    assert.equal((await staff.post('/admin/billing/reject', { id: other.id, note })).status, 200)
    assert.equal((await staff.post('/admin/billing/approve', { id: other.id })).status, 409)
    await other.refresh()
    assert.containSubset(other.$attributes, { status: 'rejected', note })
  })

  test('staff cannot approve an unclaimed payment, nor issue a credit note while a claim is pending', async ({
    assert,
  }) => {
    const open = await makeBill(await makeCustomer())
    for (const move of ['approve', 'reject']) {
      const { status, json } = await staff.post(`/admin/billing/${move}`, { id: open.id })
      assert.equal(status, 409, move)
      assert.equal(json.message, 'No payment was reported for this bill yet.')
    }
    const { id } = await waiting()
    for (const move of ['credit', 'write-off']) {
      const { status } = await staff.post(`/admin/billing/${move}`, { id, note: 'Too much' })
      assert.equal(status, 409, move)
    }
    const statuses = await Bill.query().whereIn('id', [open.id, id]).orderBy('id')
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['pending', 'processing']
    )
    const ledger = db.from('ledger_transfers').whereIn('bill_id', [open.id, id])
    assert.lengthOf(await ledger.whereNot('kind', 'billed'), 0)
  })

  test('staff send each email once, and again if they confirm it', async ({ assert }) => {
    const customer = await makeCustomer()
    const { id } = await makeBill(customer)
    const send = (more: object) =>
      staff.post('/admin/billing/send-email', { id, mail_type: 'created', ...more })
    assert.deepEqual(
      (await Promise.all([send({}), send({}), send({})])).map(({ status }) => status).sort(),
      [200, 409, 409]
    )
    assert.equal((await send({ again: true })).status, 200)
    assert.equal((await send({ mail_type: 'payment_approved' })).status, 409)
    const mails = await db.from('outbox_mails').where('to', customer.email)
    assert.lengthOf(
      mails.filter(({ subject }) => subject.startsWith('Your bill')),
      2
    )
    assert.include(mails[0].text, 'Total payable: ৳')
  })

  test('a new dollar rate applies to new bills from today on, and an issued bill keeps its rate', async ({
    assert,
    cleanup,
  }) => {
    const customer = await makeCustomer()
    const earlier = await makeBill(customer, [{ cost: '10' }])
    const rates = await db.from('dollar_rates')
    cleanup(async () => {
      await db.from('dollar_rates').delete()
      await db.table('dollar_rates').multiInsert(rates)
    })
    const store = '/admin/billing/settings/rate/store'
    const { today } = (await staff.page('/admin/billing/settings')).json.props as Facts
    const past = await staff.post(store, { rate: '100', effective_from: '2020-01-01' })
    assert.property(past.json.errors, 'effective_from')
    assert.equal((await staff.post(store, { rate: '0', effective_from: today })).status, 422)
    assert.equal((await staff.post(store, { rate: '125.5', effective_from: today })).status, 201)
    await charge(customer.id, [{ cost: '2' }])
    const { id } = await makeBill(customer, [{ cost: '8' }])
    const visitor = await signIn(customer)
    const shown = await visitor.page(`/billing/${id}`)
    assert.containSubset(shown.json.props, { rate: '125.5', totalPayable: '1276.96' })
    const kept = await visitor.page(`/billing/${earlier.id}`)
    assert.containSubset(kept.json.props, { rate: '122.5', totalPayable: '1246.44' })
  })
})
