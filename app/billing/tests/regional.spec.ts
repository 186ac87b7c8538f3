import { approveBillPayment } from '#billing/actions/approve_or_reject_bill_payment'
import { changeRegionalSettings } from '#billing/actions/change_regional_settings'
import { claimBillPayment } from '#billing/actions/claim_bill_payment'
import { creditBill } from '#billing/actions/credit_or_write_off_bill'
import { importExternalBill } from '#billing/actions/external_bills'
import { sendBillMailOnRequest } from '#billing/actions/send_bill_mails'
import { renderBillDocument } from '#billing/documents/render_bill_document'
import { mails } from '#billing/mails'
import { listCreditNotes } from '#billing/queries/bill_details'
import { calendarMonth } from '#billing/queries/month_to_date'
import { priceOfMails } from '#mail/price'
import { meteredPrices } from '#billing/prices'
import { parseTaka } from '#billing/statements/statement_row'
import { claim, freshTrx, makeBill, makeStatement, setMerchant } from '#billing/tests/fixtures'
import { billMailTypes, type BillMailType } from '#billing/statuses'
import {
  findRegionalSettings,
  loadRegionalSettings,
  saveRegionalSettings,
} from '#core/settings/load_regional_settings'
import { DEFAULT_REGIONAL_SETTINGS, type RegionalSettings } from '#core/settings/regional_settings'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import Big from 'big.js'
import { DateTime } from 'luxon'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const by = { actor: null }
/** Marks of Bangladesh that no text may have in Berlin. `\b` passes over names of fields: `cost_taka`. */
const BANGLADESH = /৳|টাকা|Dhaka|\btaka\b(?!"?:)|\bBDT\b|1\.75\s?%|১\.৭৫/i

const berlin: RegionalSettings = {
  currency: 'EUR',
  symbol: '€',
  digits: 2,
  timeZone: 'Europe/Berlin',
  billingTimeZone: 'Europe/Berlin',
  feePercent: '0',
  daysToPay: 14,
  prices: { ...DEFAULT_REGIONAL_SETTINGS.prices, mail: '0.0009' },
}

async function use(settings: RegionalSettings): Promise<void> {
  await db.transaction((trx) => saveRegionalSettings(settings, trx))
  await loadRegionalSettings()
}

async function useDefaults(): Promise<void> {
  await db.from('settings').where('key', 'regional').delete()
  await loadRegionalSettings()
}

async function textOf(pdf: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-region-'))
  try {
    await writeFile(join(folder, 'bill.pdf'), pdf)
    return (await run('pdftotext', ['-layout', join(folder, 'bill.pdf'), '-'])).stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns a page as the server renders it: its HTML and its props. */
async function htmlOf(visitor: Visitor, path: string): Promise<string> {
  const response = await fetch(visitor.base + path, {
    headers: { cookie: visitor.cookie, accept: 'text/html' },
  })
  if (response.status !== 200) throw new Error(`${path} is ${response.status}`)
  return response.text()
}

test.group('A provider in Berlin', (group) => {
  group.setup(async () => {
    const seller = { name: 'Hafen GmbH', address: 'Berlin', bin: '' }
    const value = JSON.stringify({ merchantAccount: '01800000000', seller })
    await setMerchant()
    await db.from('settings').where('key', 'billing').update({ value })
    await use(berlin)
    return async () => {
      await useDefaults()
      await setMerchant()
    }
  })

  test('finds no text of Bangladesh on a bill, its pages, emails and documents', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const staff = await signIn(await makeStaff())
    const bill = await makeBill(customer, [{ cost: '10' }, { type: 'vault', cost: '1.5' }])
    const texts: Record<string, string> = {}
    const claimOf = (taka: string) => ({
      accountNumber: '0301 234567',
      reference: null,
      parts: [{ trxId: freshTrx(), taka }],
    })

    for (const amount of ['99999', '0.5', 'much', '1.234']) {
      const { status, text } = await visitor.post('/billing/pay', claim({ id: bill.id, amount }))
      assert.equal(status, 422, amount)
      texts[`error for ${amount}`] = text
    }
    texts.alert = (await visitor.post('/billing/alert', { amount: '0.01' })).text
    texts['wrong alert'] = (await visitor.post('/billing/alert', { amount: 'x' })).text
    const { today } = (await staff.page('/admin/billing/settings')).json.props as { today: string }
    const rate = { rate: 'x', effective_from: today }
    texts['wrong rate'] = (await staff.post('/admin/billing/settings/rate/store', rate)).text

    await claimBillPayment(bill, claimOf('500'), by)
    await approveBillPayment(bill, by)
    await creditBill(bill, { amount: '0.5', note: 'Down for a day' }, by)
    await bill.refresh()
    const [{ number }] = await listCreditNotes(bill)
    for (const kind of ['invoice', 'receipt', 'credit-note'] as const) {
      for (const language of ['en', 'bn'] as const) {
        const { pdf } = await renderBillDocument(bill, kind, language, number)
        texts[`${kind} in ${language}`] = await textOf(pdf)
      }
    }
    for (const type of Object.keys(billMailTypes) as BillMailType[]) {
      await sendBillMailOnRequest(bill, type, true, by).catch(() => {})
    }
    for (const mail of await db.from('outbox_mails').where('to', customer.email)) {
      texts[`mail ${mail.subject}`] = `${mail.subject}\n${mail.text}\n${mail.html}`
    }
    for (const { name, sample, placeholders } of mails) {
      texts[`preview of ${name}`] = JSON.stringify([sample, placeholders])
    }
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '€ 12.50' }], 'Bank')
    const other = await makeStatement([{ trxId, amount: '12.60 EUR' }], 'Bank')
    for (const path of ['/', '/services', '/billing', `/billing/${bill.id}`]) {
      texts[path] = await htmlOf(visitor, path)
    }
    for (const path of [
      '/admin',
      '/admin/billing/list',
      `/admin/billing/details/${bill.id}`,
      '/admin/billing/overview',
      '/admin/billing/settings',
      '/admin/billing/statements',
      `/admin/billing/statements/${other}`,
      '/admin/customer/list',
      '/admin/server-package/list',
    ]) {
      texts[path] = await htmlOf(staff, path)
    }

    for (const [name, text] of Object.entries(texts)) {
      const [match] = BANGLADESH.exec(text.replaceAll('&quot;', '"')) ?? []
      const start = match ? text.indexOf(match) : 0
      assert.isUndefined(match, `${name}: ${text.slice(Math.max(0, start - 80), start + 80)}`)
    }
    const owed = new Big('11.5').times('122.5').toFixed(2)
    assert.include(texts['invoice in en'], `€${owed.replace(/^1/, '1,')}`)
    assert.match(texts['receipt in bn'], /৫০০\.০০€/)
    assert.include(texts['/billing'], '€')
    assert.match(texts['/billing'], /Europe\\?\/Berlin/)
    assert.isTrue(Object.keys(texts).some((name) => name.startsWith('mail Your bill')))
  })

  test('has its fee and days on new bills, and older bills keep theirs', async ({ assert }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const now = DateTime.utc(2026, 11, 3, 12)
    const free = await makeBill(customer, [{ cost: '10' }], now)
    assert.equal(free.dueDate!.toISODate(), '2026-11-17')
    await use({ ...berlin, feePercent: '2.5', daysToPay: 30 })
    const later = await makeBill(customer, [{ cost: '10' }], now)
    assert.equal(later.dueDate!.toISODate(), '2026-12-03')
    await use(berlin)
    const payable = async ({ id }: { id: number }) =>
      (await visitor.page(`/billing/${id}`)).json.props as Record<string, string>
    assert.containSubset(await payable(free), { totalPayable: '1225.00', feePercent: '0' })
    assert.containSubset(await payable(later), { totalPayable: '1255.63', feePercent: '2.5' })
  })

  test('sees its prices of usage', async ({ assert }) => {
    const visitor = await signIn(await makeCustomer())
    const { props } = (await visitor.page('/services')).json
    assert.containSubset(props, { prices: berlin.prices, feePercent: '0' })
    assert.equal(priceOfMails(1000), '0.9')
    const mail = meteredPrices().find(({ meter }) => meter === 'mail.accepted')
    assert.equal(mail?.price, '0.0009')
  })

  test('gets no bills of a partner that bills in another currency', async ({ assert }) => {
    const bill = { externalId: freshTrx(), externalUser: 'u-1', amount: '5' }
    await assert.rejects(
      () => importExternalBill('autocourier', bill, by),
      'Berth takes payments in EUR. Bills in BDT cannot be paid.'
    )
  })

  test('reads amounts of statements in its currency only', ({ assert }) => {
    for (const text of ['€ 1,500.50', '1500.50 EUR', '1500.5']) {
      assert.equal(parseTaka(text)?.toFixed(2), '1500.50', text)
    }
    assert.isNull(parseTaka('৳ 1500.50'))
  })
})

test.group('The form of regional settings', (group) => {
  const path = '/admin/billing/settings/regional/update'
  const defaults = {
    currency: 'BDT',
    symbol: '৳',
    digits: 2,
    time_zone: 'Asia/Dhaka',
    fee_percent: '1.75',
    days_to_pay: 7,
    prices: { ...DEFAULT_REGIONAL_SETTINGS.prices },
  }
  let staff: Visitor
  group.setup(async () => void (staff = await signIn(await makeStaff())))
  group.each.teardown(useDefaults)

  test('rejects {field} {value}')
    .with([
      { field: 'currency', value: 'XYZ' },
      { field: 'currency', value: 'EURO' },
      // Three decimal places.
      { field: 'currency', value: 'KWD' },
      { field: 'symbol', value: '' },
      { field: 'symbol', value: 'x'.repeat(40) },
      { field: 'symbol', value: '<b>' },
      { field: 'symbol', value: '€"' },
      { field: 'symbol', value: '5' },
      { field: 'digits', value: 3 },
      { field: 'digits', value: -1 },
      { field: 'time_zone', value: 'Europe/Atlantis' },
      { field: 'time_zone', value: '+06:00' },
      { field: 'time_zone', value: 'posix/Asia/Dhaka' },
      { field: 'time_zone', value: "UTC'; drop table bills" },
      { field: 'fee_percent', value: '-1' },
      { field: 'fee_percent', value: '101' },
      { field: 'fee_percent', value: '1.755' },
      { field: 'days_to_pay', value: 0 },
      { field: 'days_to_pay', value: 91 },
      { field: 'days_to_pay', value: 1.5 },
      { field: 'prices', value: { ...DEFAULT_REGIONAL_SETTINGS.prices, mail: '-1' } },
    ])
    .run(async ({ assert }, { field, value }) => {
      const { status, json } = await staff.post(path, { ...defaults, [field]: value })
      assert.equal(status, 422)
      const fields = Object.keys(json.errors!).map((name) => name.split('.')[0])
      assert.deepEqual(fields, [field])
      assert.deepEqual(await findRegionalSettings(), DEFAULT_REGIONAL_SETTINGS)
    })

  test('is for administrators', async ({ assert }) => {
    const support = await signIn(await makeStaff('support'))
    assert.equal((await support.post(path, defaults)).status, 403)
  })

  test('keeps the currency once there are bills, and says why', async ({ assert }) => {
    await makeBill(await makeCustomer())
    for (const change of [{ currency: 'EUR', symbol: '€', rate: '0.92' }, { digits: 0 }]) {
      const { status, json } = await staff.post(path, { ...defaults, ...change })
      assert.equal(status, 409)
      assert.equal(
        json.message,
        'The currency and its decimal places cannot change any more, because there are bills in BDT.'
      )
    }
    const other = { symbol: 'Tk', fee_percent: '0', days_to_pay: 14 }
    assert.equal((await staff.post(path, { ...defaults, ...other })).status, 200)
    assert.equal((await findRegionalSettings()).symbol, 'Tk')
  })

  test('moves the times on pages, but no billing month that was charged', async ({ assert }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    // November in Dhaka, October in New York.
    const moment = DateTime.fromISO('2026-10-31T20:00:00Z')
    assert.equal(calendarMonth(moment), '2026-11')
    const change = { ...defaults, time_zone: 'America/New_York' }
    assert.equal((await staff.post(path, change)).status, 200)
    assert.equal(calendarMonth(moment), '2026-11')
    const { props } = (await staff.page('/admin/billing/settings')).json
    assert.containSubset(props, {
      region: { timeZone: 'America/New_York' },
      regional: { time_zone: 'America/New_York', billing_time_zone: 'Asia/Dhaka' },
    })
    assert.equal((await makeBill(customer)).zone, 'Asia/Dhaka')
    const { pdf } = await renderBillDocument(bill, 'invoice', 'en')
    const issued = bill.createdAt.setZone('America/New_York').toFormat('d LLLL yyyy HH:mm')
    assert.include(await textOf(pdf), issued)
  })

  test('changes the currency with its rate, and the calendar, before the first charge', async ({
    assert,
  }) => {
    const change = { ...berlin, feePercent: '0', daysToPay: 14 }
    const trx = await db.transaction()
    try {
      // Empty tables in front of the real ones, as in a new installation; rolled back below.
      for (const table of ['bills', 'bill_charges', 'usage_months', 'billing_alerts']) {
        await trx.rawQuery(`create temp table ${table} (like public.${table} including defaults)`)
      }
      await assert.rejects(
        () => changeRegionalSettings(change, null, by, trx),
        'Enter the price of one dollar in EUR.'
      )
      await trx.table('billing_alerts').insert({ account_id: 1, amount: 5 })
      await assert.rejects(() => changeRegionalSettings(change, '0.92', by, trx), /spending alerts/)
      await trx.from('billing_alerts').delete()
      await changeRegionalSettings(change, '0.92', by, trx)
      assert.deepEqual(await findRegionalSettings(trx), berlin)
      const rates = await trx.from('dollar_rates')
      assert.deepEqual(
        rates.map(({ rate }) => Number(rate)),
        [0.92]
      )
    } finally {
      await trx.rollback()
    }
  })
})
