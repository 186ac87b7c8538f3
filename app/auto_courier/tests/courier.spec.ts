import { resendCourierEvent, sendDueCourierEvents } from '#auto_courier/outgoing_events'
import { rotateCourierSecret } from '#auto_courier/secrets'
import { MAX_CALLS_PER_MINUTE } from '#auto_courier/signed_requests'
import { saveCourierWebhookUrl } from '#auto_courier/webhook_url_setting'
import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { onBillDecided } from '#billing/decision_hooks'
import Bill from '#billing/models/bill'
import { matchStatementLine } from '#billing/statements/match_line'
import {
  freshTrx,
  makeBill,
  makeExternalBill,
  makeStatement,
  openConnections,
  setMerchantAccount,
} from '#billing/tests/fixtures'
import { WebhookClient, hasValidSignature, signedWebhookHeaders } from '#packages/service/webhooks'
import { makeCustomer, makeStaff, signIn, Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const by = { actor: null }
const BILL_PATH = '/autocourier/bill'
const PAYMENT_PATH = '/autocourier/payment'
let secret: string

interface How {
  id?: string
  secret?: string
  at?: Date
  sent?: object
}

function signed(path: string, body: object, how: How = {}) {
  const { id = randomUUID(), at = new Date() } = how
  const text = JSON.stringify(body)
  const headers = signedWebhookHeaders(how.secret ?? secret, id, text, at)
  return new Visitor().post(path, how.sent ?? body, headers)
}

const freshBill = () => ({ bill: `AC-${randomUUID()}`, user: 'u-77', amount: '1500.50' })

const payment = (bill: string) => ({
  bill,
  account_number: '01711000000',
  trx_id: freshTrx(),
  reference: 'web',
})

const find = (externalId: string) => Bill.findByOrFail({ externalId })

async function waiting() {
  const told = freshBill()
  await signed(BILL_PATH, told)
  await signed(PAYMENT_PATH, payment(told.bill))
  return find(told.bill)
}

const eventsOf = ({ id }: Bill) => db.from('courier_events').where('bill_id', id).orderBy('attempt')

test.group('Calls by Auto Courier', (group) => {
  group.setup(async () => {
    await setMerchantAccount()
    secret = await rotateCourierSecret(by)
  })

  test('repeated and simultaneous reports create one bill and one payment', async ({ assert }) => {
    const told = freshBill()
    const answers = await Promise.all([1, 2, 3, 4].map(() => signed(BILL_PATH, told)))
    for (const { status, json } of answers) {
      assert.equal(status, 200)
      assert.containSubset(json.data, { bill: told.bill, status: 'pending', amount: '1500.50' })
    }
    const paid = payment(told.bill)
    const claims = await Promise.all([1, 2, 3].map(() => signed(PAYMENT_PATH, paid)))
    assert.deepEqual(
      claims.map(({ status }) => status),
      [200, 200, 200]
    )
    const bill = await find(told.bill)
    assert.equal(bill.status, 'processing')
    assert.lengthOf(await db.from('bill_payments').where('bill_id', bill.id), 1)
    assert.lengthOf(await db.from('ledger_transfers').where('bill_id', bill.id), 1)
  })

  test('a repeated call with the same id gets the stored response and reports no new payment', async ({
    assert,
  }) => {
    const told = freshBill()
    await signed(BILL_PATH, told)
    const [id, paid] = [randomUUID(), payment(told.bill)]
    const first = await signed(PAYMENT_PATH, paid, { id })
    const bill = await find(told.bill)
    await rejectBillPayment(bill, 'Not there', by)
    const again = await signed(PAYMENT_PATH, paid, { id })
    assert.deepEqual([again.status, again.json], [first.status, first.json])
    assert.equal((await find(told.bill)).status, 'rejected')
    assert.equal((await signed(PAYMENT_PATH, payment(told.bill), { id })).status, 409)
    assert.equal(
      (await signed(PAYMENT_PATH, paid)).status,
      200,
      'under a number of its own it counts'
    )
    assert.equal((await find(told.bill)).status, 'processing')
  })

  test('a payment that staff already matched with a statement is not added again', async ({
    assert,
  }) => {
    const told = freshBill()
    await signed(BILL_PATH, told)
    const paid = { ...payment(told.bill), trx_id: '8N7A2B3C4D' }
    await signed(PAYMENT_PATH, paid)
    const line = async (trxId: string, amount: string) => {
      await makeStatement([{ trxId, amount, account: '017****0000' }])
      return (await db.from('statement_lines').where('trx_id', trxId).firstOrFail()).id as number
    }
    // The reported transaction ID has a wrong letter, and less arrived than was reported. Staff match
    // the statement line anyway.
    await matchStatementLine(await line('8N7A2B3C4O', '1500.00'), told.bill, by)
    assert.equal((await signed(PAYMENT_PATH, paid)).status, 200)
    await approveBillPayment(await find(told.bill), by, { approvedTaka: '1500.00' })
    const repeated = await signed(PAYMENT_PATH, paid)
    assert.containSubset(repeated.json.data, { status: 'pending', due: '0.50' })
    const bill = await find(told.bill)
    assert.lengthOf(await db.from('bill_payments').where('bill_id', bill.id), 1)
    // Staff match this payment before Auto Courier reports it.
    const late = freshBill()
    await signed(BILL_PATH, late)
    const report = payment(late.bill)
    await matchStatementLine(await line(report.trx_id, late.amount), late.bill, by)
    assert.equal((await signed(PAYMENT_PATH, report)).status, 200)
    assert.equal((await signed(PAYMENT_PATH, payment(late.bill))).status, 409)
  })

  test('a call with an invalid or expired signature gets 401', async ({ assert }) => {
    const told = freshBill()
    const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const minutes = (count: number) => new Date(Date.now() + count * 60_000)
    for (const how of [
      { secret: other },
      { at: minutes(-6) },
      { at: minutes(6) },
      { sent: { ...told, amount: '1.00' } },
    ]) {
      assert.equal((await signed(BILL_PATH, told, how)).status, 401, JSON.stringify(how))
    }
    assert.equal((await new Visitor().post(BILL_PATH, told)).status, 401)
    assert.isNull(await Bill.findBy({ externalId: told.bill }))
    assert.equal((await signed(BILL_PATH, told, { at: minutes(-4) })).status, 200)
  })

  test('all addresses of an IPv6 network share one rate limit', async ({ assert }) => {
    // A single subscriber can send from all addresses of an IPv6 network.
    const part = () => randomInt(1, 65_536).toString(16)
    const network = `2001:db8:${part()}:${part()}`
    const call = async (ip: string) => {
      const visitor = new Visitor()
      visitor.ip = ip
      return visitor.post(BILL_PATH, freshBill())
    }
    for (let from = 0; from < MAX_CALLS_PER_MINUTE; from += 50) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_none, index) => call(`${network}::${from + index}`))
      )
      for (const { status } of answers) assert.equal(status, 401)
    }
    const { status, headers } = await call(`${network.toUpperCase()}:0:0:0:FFFF`)
    assert.equal(status, 429)
    assert.isAbove(Number(headers.get('retry-after')), 0)
    assert.equal((await call('2001:db8:0:1::1')).status, 401)
  })

  test('invalid reports are rejected with a reason', async ({ assert }) => {
    const told = freshBill()
    await signed(BILL_PATH, told)
    assert.equal((await signed(BILL_PATH, { ...told, amount: '1500.51' })).status, 409)
    assert.equal((await signed(BILL_PATH, { ...told, user: 'somebody else' })).status, 409)
    for (const amount of ['0', '-1', '1.234', '1e3', 7, null]) {
      const { status, json } = await signed(BILL_PATH, { ...freshBill(), amount })
      assert.equal(status, 422, String(amount))
      assert.property(json.errors, 'amount')
    }
    assert.equal((await signed(PAYMENT_PATH, payment('AC-nothing'))).status, 404)
    const paid = payment(told.bill)
    assert.equal((await signed(PAYMENT_PATH, paid)).status, 200)
    assert.equal((await signed(PAYMENT_PATH, payment(told.bill))).status, 409)
    const next = freshBill()
    await signed(BILL_PATH, next)
    assert.equal((await signed(PAYMENT_PATH, { ...paid, bill: next.bill })).status, 422)
    assert.equal((await signed(BILL_PATH, { ...told, user: 'x'.repeat(17_000) })).status, 413)
  })

  test('during a change of secrets the new and the previous one are valid, but no older one', async ({
    assert,
  }) => {
    const before = secret
    secret = await rotateCourierSecret(by)
    assert.equal((await signed(BILL_PATH, freshBill(), { secret: before })).status, 200)
    assert.equal((await signed(BILL_PATH, freshBill())).status, 200)
    const between = secret
    secret = await rotateCourierSecret(by)
    assert.equal((await signed(BILL_PATH, freshBill(), { secret: before })).status, 401)
    assert.equal((await signed(BILL_PATH, freshBill(), { secret: between })).status, 200)
    const lost = secret
    secret = await rotateCourierSecret(by, true)
    assert.equal((await signed(BILL_PATH, freshBill(), { secret: lost })).status, 401)
    assert.equal((await signed(BILL_PATH, freshBill())).status, 200)
  })

  test('the example client in docs/guides/auto_courier.md works', async ({ assert, cleanup }) => {
    const guide = await readFile(app.makePath('docs/guides/auto_courier.md'), 'utf8')
    const code = /```js\n([\s\S]+?)```/.exec(guide)![1]
    const told = freshBill()
    const folder = await mkdtemp(join(tmpdir(), 'courier-'))
    cleanup(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'client.mjs'), code)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(folder, 'client.mjs'),
        `http://127.0.0.1:${process.env.PORT}`,
        BILL_PATH,
        JSON.stringify(told),
      ],
      { env: { AUTO_COURIER_SECRET: secret } }
    )
    assert.match(stdout, /^200 .*"status":"pending"/)
  })

  test('a new secret is shown once, to administrators, and stored encrypted', async ({
    assert,
  }) => {
    const staff = await signIn(await makeStaff())
    const { json } = await staff.post('/admin/autocourier-billing/events/secret')
    secret = (json.data as unknown as { secret: string }).secret
    assert.match(secret, /^whsec_/)
    assert.equal((await signed(BILL_PATH, freshBill())).status, 200)
    const page = await staff.page('/admin/autocourier-billing/events')
    assert.equal(page.status, 200)
    const kept = [page.json, await db.from('courier_secrets'), await db.from('audit_entries')]
    assert.notInclude(JSON.stringify(kept), secret.slice(6))
  })
})

test.group('Events to Auto Courier', (group) => {
  let seen: { headers: IncomingHttpHeaders; body: string }[]
  let answers: number[]
  const caller = new WebhookClient({ allowPrivate: true })
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      seen.push({ headers: request.headers, body })
      response.writeHead(answers.shift() ?? 204).end()
    })
  })
  let url: string

  group.setup(async () => {
    await setMerchantAccount()
    secret = await rotateCourierSecret(by)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`
    return async () => {
      await caller.close()
      server.close()
    }
  })
  group.each.setup(async () => {
    ;[seen, answers] = [[], []]
    await saveCourierWebhookUrl(null, by)
    await db.from('courier_attempts').delete()
    await db.from('courier_events').delete()
  })

  const due = () => db.from('courier_events').update({ next_at: new Date(0) })

  test('each decision is sent once, signed, even if several people decide at the same time', async ({
    assert,
  }) => {
    const bill = await waiting()
    const decided = await Promise.allSettled([
      approveBillPayment(bill, by),
      approveBillPayment(bill, by),
      rejectBillPayment(bill, 'No', by),
    ])
    assert.lengthOf(
      decided.filter(({ status }) => status === 'fulfilled'),
      1
    )
    assert.lengthOf(await eventsOf(bill), 1)
    await sendDueCourierEvents(caller)
    assert.lengthOf(seen, 0, 'nowhere to tell it')
    await saveCourierWebhookUrl(url, by)
    // Creates a second event for the concurrent senders below.
    const other = await waiting()
    await rejectBillPayment(other, 'No', by)
    // A worker skips events that another one has locked, without waiting.
    await db.transaction(async (trx) => {
      await trx.from('courier_events').forUpdate()
      await sendDueCourierEvents(caller)
      assert.lengthOf(seen, 0)
    })
    await openConnections(8)
    await Promise.all(Array.from({ length: 8 }, () => sendDueCourierEvents(caller)))
    assert.lengthOf(seen, 2)
    const { headers, body } = seen.find((one) => one.body.includes(bill.externalId!))!
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (name) => headers[`webhook-${name}`] as string
    )
    assert.isTrue(hasValidSignature([secret], { id, timestamp, signature }, body))
    assert.isFalse(hasValidSignature([secret], { id, timestamp, signature }, `${body} `))
    // Anybody could create a signature with an empty secret, so it must not be valid.
    const forged = signedWebhookHeaders('whsec_', id, body, new Date(Number(timestamp) * 1_000))
    const empty = { id, timestamp, signature: forged['webhook-signature'] }
    assert.isFalse(hasValidSignature(['', 'whsec_'], empty, body))
    const told = JSON.parse(body)
    assert.include(['bill.approved', 'bill.rejected'], told.type)
    assert.containSubset(told.data, { bill: bill.externalId, user: 'u-77', amount: '1500.50' })
  })

  test('an event is retried for a day with the same id, and staff can then resend it', async ({
    assert,
  }) => {
    const bill = await waiting()
    await rejectBillPayment(bill, 'Not in the statement', by)
    await saveCourierWebhookUrl(url, by)
    answers = Array.from({ length: 10 }, (_none, index) => (index % 2 ? 500 : 302))
    for (let call = 0; call < 10; call++) {
      await sendDueCourierEvents(caller)
      await sendDueCourierEvents(caller)
      assert.lengthOf(seen, call + 1, 'not before its time')
      await due()
    }
    await sendDueCourierEvents(caller)
    assert.lengthOf(seen, 10)
    const [event] = await eventsOf(bill)
    assert.equal(event.state, 'failed')
    await resendCourierEvent(event.id, by)
    await sendDueCourierEvents(caller)
    assert.equal((await eventsOf(bill))[0].state, 'delivered')
    assert.lengthOf(new Set(seen.map(({ headers }) => headers['webhook-id'])), 1)
    assert.lengthOf(new Set(seen.map(({ body }) => body)), 1)
    const staff = await signIn(await makeStaff())
    const page = await staff.page('/admin/autocourier-billing/events')
    const [row] = page.json.props!.events as unknown as { attempts: { status: number }[] }[]
    assert.lengthOf(row.attempts, 11)
    assert.equal(row.attempts[0].status, 204)
  })

  test('a rejected match of a payment that Auto Courier did not report sends no event', async ({
    assert,
  }) => {
    const bill = await makeExternalBill('1500.50')
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '1500.50', account: '017****0000' }])
    const { id } = await db.from('statement_lines').where('trx_id', trxId).firstOrFail()
    await matchStatementLine(id, bill.externalId!, by)
    await rejectBillPayment(bill, 'Another customer', by)
    assert.lengthOf(await eventsOf(bill), 0)
    assert.equal((await find(bill.externalId!)).status, 'pending')
  })

  test('a rejected match of a payment that Auto Courier reported later sends one event', async ({
    assert,
  }) => {
    const bill = await makeExternalBill('1500.50')
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '1500.50', account: '017****0000' }])
    const { id } = await db.from('statement_lines').where('trx_id', trxId).firstOrFail()
    await matchStatementLine(id, bill.externalId!, by)
    const report = { ...payment(bill.externalId!), trx_id: trxId }
    for (let time = 0; time < 2; time++) {
      assert.equal((await signed(PAYMENT_PATH, report)).status, 200)
    }
    assert.equal((await find(bill.externalId!)).accountNumber, report.account_number)
    await rejectBillPayment(bill, 'Another customer', by)
    assert.lengthOf(await eventsOf(bill), 1)
    assert.equal((await find(bill.externalId!)).status, 'rejected')
  })

  test('a report after the approval of a match replaces the masked account number of the payment', async ({
    assert,
  }) => {
    const bill = await makeExternalBill('1500.50')
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '1500.50', account: '017****0000' }])
    const { id } = await db.from('statement_lines').where('trx_id', trxId).firstOrFail()
    await matchStatementLine(id, bill.externalId!, by)
    await approveBillPayment(bill, by)
    assert.equal((await find(bill.externalId!)).accountNumber, '017****0000')
    const report = { ...payment(bill.externalId!), trx_id: trxId }
    assert.equal((await signed(PAYMENT_PATH, report)).status, 200)
    assert.equal((await find(bill.externalId!)).accountNumber, report.account_number)
    const [paid] = await db.from('bill_payments').where('bill_id', bill.id)
    assert.deepEqual([paid.account_number, paid.status], [report.account_number, 'approved'])
  })

  test('the first matching report completes a masked or missing account number of an approved match', async ({
    assert,
  }) => {
    for (const [account, reports, stored] of [
      ['017****0000', ['01911000000', '01711000000', '01711990000'], '01711000000'],
      ['', ['01711000000', '01911000000'], '01711000000'],
      ['01711000000', ['01911000000'], '01711000000'],
    ] as const) {
      const bill = await makeExternalBill('1500.50')
      const trxId = freshTrx()
      await makeStatement([{ trxId, amount: '1500.50', account }])
      const { id } = await db.from('statement_lines').where('trx_id', trxId).firstOrFail()
      await matchStatementLine(id, bill.externalId!, by)
      await approveBillPayment(bill, by)
      for (const account_number of reports) {
        const report = { ...payment(bill.externalId!), trx_id: trxId, account_number }
        assert.equal((await signed(PAYMENT_PATH, report)).status, 200)
      }
      const [paid] = await db.from('bill_payments').where('bill_id', bill.id)
      const { accountNumber } = await find(bill.externalId!)
      assert.deepEqual([paid.account_number, accountNumber], [stored, stored], account)
      const entries = await db
        .from('audit_entries')
        .where({ subject_type: 'bill', subject_id: String(bill.id), action: 'bill.account' })
      assert.lengthOf(entries, account === stored ? 0 : 1)
    }
  })

  test('are not sent to private addresses', async ({ assert }) => {
    const bill = await waiting()
    await approveBillPayment(bill, by)
    await saveCourierWebhookUrl(url, by)
    const guarded = new WebhookClient({ allowPrivate: false })
    await sendDueCourierEvents(guarded)
    await guarded.close()
    assert.lengthOf(seen, 0)
    const [attempt] = await db.from('courier_attempts')
    assert.include(attempt.answer, 'public internet')
  })

  test('are not sent for failed decisions, nor for bills of Berth’s own customers', async ({
    assert,
  }) => {
    const bill = await waiting()
    let fails = true
    onBillDecided(async () => {
      if (fails) throw new Error('undone')
    })
    await assert.rejects(() => approveBillPayment(bill, by), 'undone')
    await assert.rejects(() => rejectBillPayment(bill, 'No', by), 'undone')
    fails = false
    assert.lengthOf(await eventsOf(bill), 0)
    assert.equal((await find(bill.externalId!)).status, 'processing')
    await rejectBillPayment(bill, 'No', by)
    assert.lengthOf(await eventsOf(bill), 1)
    const ours = await makeBill(await makeCustomer())
    const parts = [{ trxId: freshTrx(), taka: null }]
    await reportBillPayment(ours, { accountNumber: '01711', reference: null, parts }, by)
    await approveBillPayment(ours, by)
    assert.lengthOf(await eventsOf(ours), 0)
  })
})

test.group('Bills from Auto Courier', (group) => {
  group.setup(() => setMerchantAccount())

  test('are approved by their own route, and the route for other bills responds with 404', async ({
    assert,
  }) => {
    const bill = await makeExternalBill('1500.50')
    const parts = [{ trxId: freshTrx(), taka: null }]
    await reportBillPayment(
      bill,
      { accountNumber: '01999', reference: null, parts },
      { actor: null }
    )
    const staff = await signIn(await makeStaff())
    const shown = await staff.page(`/admin/autocourier-billing/details/${bill.id}`)
    assert.containSubset(shown.json.props!.bill, {
      _id: bill.externalId,
      user_id: 'partner-user',
      amount: '1500.50',
      status: 'processing',
    })
    assert.equal((await staff.post('/admin/billing/approve', { id: bill.id })).status, 404)
    const approve = '/admin/autocourier-billing/approve'
    assert.equal((await staff.post(approve, { id: bill.id })).status, 200)
    assert.equal((await Bill.findOrFail(bill.id)).status, 'success')
  })

  test('are handled only in app/auto_courier: no other server file mentions Auto Courier', async ({
    assert,
  }) => {
    const naming: string[] = []
    for await (const file of glob('{app,config}/**/*.ts', { cwd: app.makePath() })) {
      if (/^app\/auto_courier\/|\/tests\/|page_addresses\.ts$/.test(file)) continue
      if (/courier/i.test(await readFile(app.makePath(file), 'utf8'))) naming.push(file)
    }
    assert.deepEqual(naming, [])
  })
})
