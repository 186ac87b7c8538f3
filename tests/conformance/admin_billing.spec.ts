/// <reference lib="dom" />
import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import Bill from '#billing/models/bill'
import { makeBill, makeExternalBill } from '#billing/tests/fixtures'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { formatDate } from '#packages/ui/date_text'
import { dollarsToTaka as inTaka } from '#core/money'
import { waitForToast, visit } from '#tests/support/browser'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { PAYER_NUMBER, badgeColour, claimed } from './bills.js'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const by = { actor: null }
const taka = (dollars: string, rate: string) => `৳${inTaka(dollars, rate)}`
const CHARGE_LINES = [
  { name: 'harbour-web', cost: '10' },
  { type: 'vault', name: 'photos', billType: 'storage', period: '2026-10', cost: '1.5' },
  { type: 'mail', name: 'shop@example.com', billType: 'mail', period: '2026-10', cost: '0.0004' },
]

const families = {
  console: {
    list: '/admin/billing/list',
    title: 'Billing List',
    details: (bill: Bill) => `/admin/billing/details/${bill.id}`,
    detailsTitle: 'Bill Details',
    name: (bill: Bill) => bill.number!,
    make: async () => makeBill(await makeCustomer(), CHARGE_LINES),
  },
  courier: {
    list: '/admin/autocourier-billing/list',
    title: 'Auto Courier Billing List',
    details: (bill: Bill) => `/admin/autocourier-billing/details/${bill.id}`,
    detailsTitle: 'Auto Courier Bill Details',
    name: (bill: Bill) => bill.externalId!,
    make: () => makeExternalBill('1500.5'),
  },
}
type Family = keyof typeof families

const rowOf = (page: Page, bill: Bill, family: Family) =>
  page.getByRole('row').filter({
    has: page.getByRole('link', { name: `Details of ${families[family].name(bill)}` }),
  })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function heads(page: Page): Promise<string[]> {
  const all = await page.getByRole('columnheader').allInnerTexts()
  return all.map((text) => text.replace(/[↑↓↕]/g, '').trim())
}

async function oneOfEach(family: Family) {
  const { make } = families[family]
  const [pending, processing] = [await make(), await claimed(await make())]
  const [success, rejected] = [await claimed(await make()), await claimed(await make())]
  await approveBillPayment(success, by)
  await rejectBillPayment(rejected, 'No such transfer.', by)
  for (const bill of [success, rejected]) await bill.refresh()
  return { pending, processing, success, rejected }
}

test.group('Both billing lists', (group) => {
  const stage = stageOf(group, () => makeStaff())
  const bills = {} as Record<Family, Awaited<ReturnType<typeof oneOfEach>>>
  group.setup(async () => {
    bills.console = await oneOfEach('console')
    bills.courier = await oneOfEach('courier')
  })

  proves(
    ['A2.65', 'A2.66', 'A2.67', 'A2.68', 'A2.69', 'A2.83', 'A2.84', 'A4.3', 'A9.3'],
    async () => {
      const { page } = stage
      const visitor = await signIn(stage.person)
      for (const { list, title } of Object.values(families)) {
        await visit(page, list)
        await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor()
        const { json } = await visitor.page(list)
        const labels = json.props!.paymentStatus as Record<string, string>
        for (const key of ['pending', 'processing', 'rejected', 'success']) assert.ok(labels[key])
        const filters = page.getByRole('group', { name: 'Filter by status' })
        const shown = (await filters.getByRole('button').allInnerTexts()).map((text) =>
          text.replace(/\s*\d+$/, '').trim()
        )
        assert.deepEqual(shown, ['All Bills', ...Object.values(labels)])
        assert.deepEqual(await page.getByLabel('Rows').getByRole('option').allInnerTexts(), [
          '50',
          '100',
          '250',
          '500',
        ])
        await page.getByRole('textbox', { name: /^Search/ }).waitFor()
        assert.deepEqual(await heads(page), [
          'Account',
          'Trx ID',
          'Reference',
          'Amount',
          'Status',
          'Billing Date',
          'Action',
        ])
      }
    }
  )

  proves(['A2.70', 'A2.71', 'A2.85', 'A2.86', 'A9.9', 'A9.11', 'A1.9', 'A1.10'], async () => {
    const { page } = stage
    const { pending } = bills.courier
    await visit(page, families.courier.list)
    const courier = await rowOf(page, pending, 'courier').innerText()
    assert.ok(courier.replace(/[\s,]/g, '').includes('৳1500.50'), courier)
    assert.ok(
      courier.includes(formatDate(pending.createdAt.toISO()!, 'date', 'Asia/Dhaka')),
      courier
    )
    const bill = bills.console.pending
    await visit(page, families.console.list)
    const words = await rowOf(page, bill, 'console').innerText()
    const amount = taka(bill.amount, await loadDollarRate())
    assert.match(amount, /^৳\d+\.\d\d$/)
    assert.ok(words.replace(/[\s,]/g, '').includes(amount), `${words} has no ${amount}`)
    assert.ok(
      words.includes(formatDate(bill.billingDate!.toISODate()!, 'date', 'Asia/Dhaka')),
      words
    )
    assert.match(words, /Pending/)
    assert.match(words, /[A-Z][a-z]{2} \d{1,2}, \d{4}/)
  })

  proves(['A2.72', 'A2.87'], async () => {
    const { page } = stage
    for (const family of ['console', 'courier'] as const) {
      const { list, details } = families[family]
      const bill = bills[family].processing
      await visit(page, list)
      await rowOf(page, bill, family)
        .getByRole('link', { name: /^Details of/ })
        .click()
      await page.waitForURL(`**${details(bill)}`)
    }
  })

  proves(['A2.73', 'A2.88'], async () => {
    const { page } = stage
    for (const family of ['console', 'courier'] as const) {
      await visit(page, families[family].list)
      const look = (bill: Bill) =>
        rowOf(page, bill, family)
          .getByRole('cell')
          .nth(1)
          .evaluate((cell) => {
            const text = cell.querySelector('span') ?? cell
            for (let one: Element | null = text; one; one = one.parentElement) {
              const { textDecorationLine, textDecorationColor, color } = getComputedStyle(one)
              if (textDecorationLine.includes('line-through')) {
                return `${textDecorationColor} ${color}`
              }
            }
            return null
          })
      const struck = await look(bills[family].rejected)
      const [, red, green, blue] = /rgb\((\d+), (\d+), (\d+)/.exec(struck ?? '') ?? []
      assert.ok(Number(red) > 2 * Number(green) && Number(red) > 2 * Number(blue), String(struck))
      assert.equal(await look(bills[family].success), null)
    }
  })

  proves(['A2.74', 'A2.75', 'A9.4'], async () => {
    const { page } = stage
    await visit(page, families.console.list)
    const status = page.getByRole('status').filter({ hasText: 'records' })
    assert.match(await status.innerText(), /^Showing 1 to \d+ of \d+ records$/)
    const first = bills.console.pending
    const missing =
      201 - (await Bill.query().where('family', 'console').count('* as n'))[0].$extras.n
    for (let index = 0; index < missing; index += 1) await copyOf(first)
    await visit(page, `${families.console.list}?length=50`)
    const pages = page.getByRole('navigation', { name: 'Pages' })
    assert.match(await pages.innerText(), /…/)
    assert.ok((await pages.getByRole('button', { name: /^Page / }).count()) < 5)
  })

  proves(['A7.17', 'A7.21', 'A3.11', 'A3.12', 'A3.13', 'A3.23', 'A3.24'], async () => {
    const visitor = await signIn(stage.person)
    const courier = bills.courier.processing
    const asked = `?page=1&length=50&status=processing&search=`
    const own = await visitor.get(`${families.courier.list}${asked}${courier.trxId}`)
    const data = own.json.data as Record<string, unknown>
    const [row] = data.bills as Record<string, unknown>[]
    assert.deepEqual(
      {
        _id: row._id,
        id: row.id,
        user_id: row.user_id,
        account_number: row.account_number,
        trx_id: row.trx_id,
        reference: row.reference,
        status: row.status,
        note: row.note,
      },
      {
        _id: courier.externalId,
        id: courier.id,
        user_id: courier.externalUser,
        account_number: PAYER_NUMBER,
        trx_id: courier.trxId,
        reference: 'harbour',
        status: 'processing',
        note: null,
      }
    )
    assert.ok(row.createdAt && Number(row.amount) === 1500.5)
    assert.deepEqual([data.page, data.length, data.count], [1, 50, 1])
    const bill = bills.console.processing
    const answer = await visitor.get(`${families.console.list}${asked}${bill.trxId}`)
    const [found] = (answer.json.data as { bills: Record<string, unknown>[] }).bills
    assert.deepEqual(
      {
        id: found.id,
        user_id: found.user_id,
        account_number: found.account_number,
        trx_id: found.trx_id,
        reference: found.reference,
        note: found.note,
        payment_status: found.payment_status,
        billing_date: found.billing_date,
      },
      {
        id: bill.id,
        user_id: bill.accountId,
        account_number: PAYER_NUMBER,
        trx_id: bill.trxId,
        reference: 'harbour',
        note: null,
        payment_status: 'processing',
        billing_date: bill.billingDate!.toISODate(),
      }
    )
    assert.equal(Number(found.amount), 11.5004)
    const maps: [string, string][] = [
      ['/admin/host-instance/list', 'instanceStatus'],
      [families.console.list, 'paymentStatus'],
      ['/admin/email/list', 'emailStatus'],
      ['/admin/project/list', 'projectStatus'],
    ]
    for (const [path, map] of maps) {
      const { json } = await visitor.get(path)
      assert.ok(Object.keys((json.data as Record<string, object>)[map]).length > 1, path)
    }
  })
})

/** Tests of lists need many bills. */
async function copyOf(bill: Bill): Promise<void> {
  const { id: _id, number, ...rest } = bill.$attributes
  await Bill.create({ ...rest, number: `${number}-${Math.random().toString(36).slice(2, 10)}` })
}

test.group('Page of a bill for staff', (group) => {
  const stage = stageOf(group, () => makeStaff())
  const open = async (family: Family, bill: Bill) => {
    await visit(stage.page, families[family].details(bill))
    await stage.page
      .getByRole('heading', { name: families[family].detailsTitle, level: 1 })
      .waitFor()
  }

  proves(['A2.76', 'A2.77', 'A2.82', 'A2.89', 'A2.90', 'A7.18', 'A7.22'], async () => {
    const { page } = stage
    for (const family of ['console', 'courier'] as const) {
      const { make, list } = families[family]
      const bill = await make()
      await open(family, bill)
      const facts = await page.getByRole('main').locator('dl').first().innerText()
      const dollars = taka(bill.amount, await loadDollarRate())
      const total = family === 'courier' ? '৳1500.50' : dollars
      const day = family === 'courier' ? bill.createdAt.toISO()! : bill.billingDate!.toISODate()!
      for (const words of [
        'Account id',
        String(bill.accountId ?? bill.externalUser),
        'Billing date',
        formatDate(day, 'date', 'Asia/Dhaka'),
        'Estimated grand total',
        total,
      ]) {
        assert.ok(facts.replace(/[\s,]/g, '').includes(words.replace(/[\s,]/g, '')), words)
      }
      await page.locator('[data-status=pending]').first().waitFor()
      await page.getByRole('link', { name: 'Back', exact: true }).click()
      await page.waitForURL(`**${list}*`)
    }
  })

  proves(['A2.78', 'A2.79', 'A2.80', 'A2.81', 'A4.4', 'A4.7'], async () => {
    const { page } = stage
    for (const family of ['console', 'courier'] as const) {
      const { pending, processing, success, rejected } = await oneOfEach(family)
      const badge = (status: string) => page.locator(`[data-status=${status}]`)
      await open(family, pending)
      assert.equal(await page.getByRole('heading', { name: 'Payment Information' }).count(), 0)
      assert.equal(await badgeColour(badge('pending')), 'yellow')
      assert.equal(await button(page, 'Approve').count(), 0)
      await open(family, processing)
      const payment = page.getByRole('region', { name: 'Payment Information' })
      const words = await payment.innerText()
      for (const part of [
        'Account number',
        PAYER_NUMBER,
        'Transaction ID',
        processing.trxId!,
        'Reference',
        'harbour',
        'Note',
      ]) {
        assert.ok(words.includes(part), part)
      }
      assert.match(words, /Note\s+-/)
      assert.equal(await badgeColour(badge('processing')), 'green')
      for (const name of ['Approve', 'Reject']) await button(page, name).waitFor()
      await open(family, success)
      await payment.waitFor()
      assert.equal(await badgeColour(badge('success')), 'green')
      for (const name of ['Approve', 'Reject']) assert.equal(await button(page, name).count(), 0)
      await open(family, rejected)
      await payment.getByText('No such transfer.').waitFor()
      assert.equal(await badgeColour(badge('rejected')), 'yellow')
      for (const name of ['Approve', 'Reject']) assert.equal(await button(page, name).count(), 0)
    }
  })

  proves(['A2.91', 'A2.92', 'A2.93', 'A3.14', 'A7.25', 'A7.26', 'A8.3'], async () => {
    const { page, person } = stage
    const bill = await families.console.make()
    await open('console', bill)
    const { json } = await (await signIn(person)).page(families.console.details(bill))
    const emails = json.props!.emails as { mail_type: string; sent: boolean; label: string }[]
    assert.deepEqual(emails.map(({ mail_type: type }) => type).sort(), [
      'created',
      'overdue',
      'payment_approved',
      'payment_received',
      'payment_rejected',
      'reminder',
    ])
    const cards = page.getByRole('region', { name: 'Billing Emails' })
    const sent = emails.filter((one) => one.sent).length
    assert.equal(await cards.getByText('Sent', { exact: true }).count(), sent)
    assert.equal(await cards.getByText('Not Sent', { exact: true }).count(), 6 - sent)
    const reminder = emails.find(({ mail_type: type }) => type === 'reminder')!
    const send = cards.getByRole('button', { name: `Send: ${reminder.label}` })
    await page.route('**/admin/billing/send-email', (route) =>
      route.fulfill({ status: 500, json: { success: false, message: 'no' } })
    )
    await send.click()
    await waitForToast(page, 'Failed to send email. Check console for details.')
    await page.unroute('**/admin/billing/send-email')
    const call = page.waitForRequest('**/admin/billing/send-email')
    await send.click()
    assert.deepEqual((await call).postDataJSON(), { id: bill.id, mail_type: 'reminder' })
    await send.waitFor({ state: 'detached' })
    await cards.getByRole('button', { name: `Send again: ${reminder.label}` }).waitFor()
  })

  proves(['A2.94', 'A2.95', 'A2.96', 'A2.97', 'A3.15'], async () => {
    const { page } = stage
    await open('console', await families.console.make())
    const rate = await loadDollarRate()
    const group = (name: string) => page.getByRole('button', { name: new RegExp(name) })
    const plain = async (one: Locator) => (await one.innerText()).replace(/[\s,]/g, '')
    assert.ok((await plain(group('Server Instances'))).includes(taka('10', rate)))
    assert.ok((await plain(group('Vaults'))).includes(taka('1.5004', rate)))
    const rows = (name: string) => page.getByRole('table', { name }).locator('tbody tr')
    assert.equal(await rows('Server Instances').count(), 1)
    assert.equal(await rows('Vaults').count(), 2)
    const words = await plain(rows('Vaults').filter({ hasText: 'photos' }))
    for (const part of ['photos', 'Storage', '2026-10', taka('1.5', rate)]) {
      assert.ok(words.includes(part), `${words} has no ${part}`)
    }
    await group('Vaults').click()
    await page.getByRole('table', { name: 'Vaults' }).waitFor({ state: 'detached' })
    await group('Vaults').click()
    await page.getByRole('table', { name: 'Vaults' }).waitFor()
  })

  proves(
    [
      'A1.5',
      'A4.5',
      'A4.6',
      'A5.8',
      'A5.9',
      'A7.19',
      'A7.20',
      'A7.23',
      'A7.24',
      'A7.28',
      'A8.2',
      'A8.4',
      'A8.5',
      'A8.9',
    ],
    async () => {
      const { page } = stage
      for (const family of ['console', 'courier'] as const) {
        const { make, list } = families[family]
        const base = list.replace(/\/list$/, '')
        const [first, second] = [await claimed(await make()), await claimed(await make())]
        await open(family, first)
        await button(page, 'Reject').click()
        const reject = page.getByRole('dialog', { name: 'Reject' })
        const question = `Are you sure you want to reject this account (${PAYER_NUMBER})?`
        await reject.getByText(question, { exact: true }).waitFor()
        await reject.getByLabel('Note').fill('Another sum came.')
        await page.route(`**${base}/reject`, (route) => route.abort())
        await reject.getByRole('button', { name: 'Reject' }).click()
        await page.getByText('Failed to reject bill. Please try again.').first().waitFor()
        await page.unroute(`**${base}/reject`)
        const asked = page.waitForRequest(`**${base}/reject`)
        await reject.getByRole('button', { name: 'Reject' }).click()
        assert.deepEqual((await asked).postDataJSON(), { id: first.id, note: 'Another sum came.' })
        const rejection = await (await (await asked).response())!.json()
        assert.equal(rejection.success, true)
        await waitForToast(page, rejection.message)
        await first.refresh()
        assert.deepEqual([first.status, first.note], ['rejected', 'Another sum came.'])

        await open(family, second)
        await button(page, 'Approve').click()
        const approve = page.getByRole('dialog', { name: 'Approve' })
        await approve
          .getByText(`Are you sure you want to approve this account (${PAYER_NUMBER})?`, {
            exact: true,
          })
          .waitFor()
        assert.equal((await second.refresh()).status, 'processing')
        const said = page.waitForRequest(`**${base}/approve`)
        await approve.getByRole('button', { name: 'Approve' }).click()
        assert.deepEqual((await said).postDataJSON(), { id: second.id })
        const approval = await (await (await said).response())!.json()
        assert.equal(approval.success, true)
        await waitForToast(page, approval.message)
        assert.equal((await second.refresh()).status, 'success')
      }
    }
  )
})
