import { approveBillPayment } from '#billing/actions/approve_or_reject_bill_payment'
import { changeRegionalSettings } from '#billing/actions/change_regional_settings'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { saveDollarRate } from '#billing/actions/change_rate_and_settings'
import { creditBill } from '#billing/actions/credit_or_write_off_bill'
import { runDunning } from '#billing/actions/dunning'
import { importExternalBill } from '#billing/actions/external_bills'
import { sendBillMailOnRequest } from '#billing/actions/send_bill_mails'
import { saveSpendingAlert } from '#billing/actions/spending_alerts'
import {
  chargeLateUsage,
  chargeSubscriptionPeriods,
  chargeUsage,
  chargeUsageThroughMonth,
} from '#billing/charging/create_charges'
import { makeBills } from '#billing/charging/make_bills'
import { lastClosedMonth } from '#billing/charging/run_billing'
import { formatTaka, PRINTABLE_SYMBOL } from '#billing/documents/localized_format'
import { renderBillDocument } from '#billing/documents/render_bill_document'
import { mails } from '#billing/mails'
import Bill from '#billing/models/bill'
import { listCreditNotes } from '#billing/queries/bill_details'
import { listSkippedAccounts } from '#billing/queries/runs'
import { calendarMonth } from '#billing/queries/month_to_date'
import { calculateMailPrice } from '#mail/price'
import { meteredPrices } from '#billing/prices'
import { parseTaka } from '#billing/statements/statement_amount'
import {
  charge,
  claim,
  freshTrx,
  makeBill,
  makeStatement,
  setMerchantAccount,
} from '#billing/tests/fixtures'
import { billMailTypes, type BillMailType } from '#billing/statuses'
import { recordUsage } from '#catalog/public'
import { loadDollarRate } from '#core/settings/dollar_rate'
import {
  findRegionalSettings,
  loadRegionalSettingsWithSharedLock,
  loadRegionalSettings,
  lockRegionalSettingsExclusively,
  saveRegionalSettings,
} from '#core/settings/load_regional_settings'
import {
  DEFAULT_REGIONAL_SETTINGS,
  regionalSettings,
  type RegionalSettings,
} from '#core/settings/regional_settings'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import Big from 'big.js'
import { DateTime } from 'luxon'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const by = { actor: null }
/**
 * Text that only Bangladesh uses. It must not appear with Berlin's settings. `\b` does not match
 * inside field names such as `cost_taka`.
 */
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
  freeThrough: {},
}

async function use(settings: RegionalSettings): Promise<void> {
  await db.transaction((trx) => saveRegionalSettings(settings, trx))
  await loadRegionalSettings()
}

async function useDefaults(): Promise<void> {
  await db.from('settings').where('key', 'regional').delete()
  await loadRegionalSettings()
}

/** Runs `work` while a dollar costs `rate` from a given day on. */
async function withRate(
  rate: string,
  work: () => Promise<void>,
  from: DateTime = DateTime.now()
): Promise<void> {
  const day = from.setZone(regionalSettings().billingTimeZone).toISODate()!
  await db.table('dollar_rates').insert({ effective_from: day, rate })
  try {
    await work()
  } finally {
    await db.from('dollar_rates').where('effective_from', day).delete()
  }
}

/** Returns the characters that a font contains (OpenType "cmap", format 4). */
function charactersOf(font: Buffer): Set<string> {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, n) => 12 + 16 * n)
  const entry = tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap')!
  const cmap = font.readUInt32BE(entry + 8)
  const map = cmap + font.readUInt32BE(cmap + 8)
  const size = font.readUInt16BE(map + 6)
  const characters = new Set<string>()
  for (let at = 0; at < size; at += 2) {
    const last = font.readUInt16BE(map + 14 + at)
    for (let code = font.readUInt16BE(map + 16 + size + at); code <= last; code++) {
      characters.add(String.fromCodePoint(code))
    }
  }
  return characters
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

/** Returns the page's HTML, which contains its props. */
async function htmlOf(visitor: Visitor, path: string): Promise<string> {
  const response = await visitor.fetch(path, { headers: { accept: 'text/html' } })
  if (response.status !== 200) throw new Error(`${path} is ${response.status}`)
  return response.text()
}

test.group('A provider with the settings of Berlin', (group) => {
  group.setup(async () => {
    const seller = { name: 'Hafen GmbH', address: 'Berlin', bin: '' }
    const value = JSON.stringify({ merchantAccount: '01800000000', seller })
    await setMerchantAccount()
    await db.from('settings').where('key', 'billing').update({ value })
    await use(berlin)
    return async () => {
      await useDefaults()
      await setMerchantAccount()
    }
  })

  test('has no text of Bangladesh on bills, pages, emails and documents', async ({ assert }) => {
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

    await reportBillPayment(bill, claimOf('500'), by)
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
      // Searches for this bill only, because bills of other tests have notes in taka.
      `/admin/billing/list?search=${bill.number}`,
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

  test('has its own fee and due date on new bills, and older bills keep theirs', async ({
    assert,
  }) => {
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

  test('shows its own usage prices', async ({ assert }) => {
    const visitor = await signIn(await makeCustomer())
    const { props } = (await visitor.page('/services')).json
    assert.containSubset(props, { prices: berlin.prices, feePercent: '0' })
    assert.equal(calculateMailPrice(1000), '0.9')
    const mail = meteredPrices().find(({ meter }) => meter === 'mail.accepted')
    assert.equal(mail?.price, '0.0009')
  })

  test('rejects bills of a partner in another currency', async ({ assert }) => {
    const bill = { externalId: freshTrx(), externalUser: 'u-1', amount: '5' }
    await assert.rejects(
      () => importExternalBill('autocourier', bill, by),
      'Berth takes payments in EUR. Bills in BDT cannot be paid.'
    )
  })

  test('reads amounts of statements in its own currency only', ({ assert }) => {
    for (const text of ['€ 1,500.50', '1500.50 EUR', '1500.5']) {
      assert.equal(parseTaka(text)?.toFixed(2), '1500.50', text)
    }
    assert.isNull(parseTaka('৳ 1500.50'))
  })

  test('creates no bill that rounds to 0, and suspends no account for one', async ({ assert }) => {
    const [poor, owing, rich] = await Promise.all([makeCustomer(), makeCustomer(), makeCustomer()])
    const past = DateTime.utc().minus({ days: 60 })
    try {
      const work = async () => {
        await makeBill(owing, [{ cost: '0.04' }], past)
        const bill = await makeBill(rich, [{ cost: '1' }], past)
        await use({ ...berlin, digits: 1 })
        await charge(poor.id, [{ cost: '0.04' }])
        await makeBills(DateTime.utc())
        assert.isNull(await Bill.findBy('accountId', poor.id))
        const skipped = await listSkippedAccounts(DateTime.utc())
        const reason = skipped.find(({ account_id: id }) => Number(id) === poor.id)?.reason
        assert.equal(reason, 'The charges are less than $0.054348')
        await assert.rejects(
          () => creditBill(bill, { amount: '0.96', note: 'Down' }, by),
          'Less than 0.054348 would remain, which cannot be paid. Use the full remaining amount.'
        )
        await runDunning()
      }
      await withRate('0.92', work, past)
    } finally {
      await use(berlin)
    }
    const statuses = await db
      .from('accounts')
      .whereIn('id', [owing.id, rich.id])
      .select('id', 'status')
    const byId = new Map(statuses.map(({ id, status }) => [Number(id), status as string]))
    assert.notEqual(byId.get(owing.id), 'suspended')
    assert.equal(byId.get(rich.id), 'suspended')
    const subjects = await db.from('outbox_mails').where('to', owing.email).select('subject')
    assert.isFalse(subjects.some(({ subject }) => /overdue/i.test(subject as string)))
  })

  test('accepts a payment below 1 if it is the whole amount due', async ({ assert }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    await withRate('0.92', async () => {
      const bill = await makeBill(customer, [{ cost: '0.5' }])
      const pay = (amount: string) => visitor.post('/billing/pay', claim({ id: bill.id, amount }))
      const less = await pay('0.40')
      assert.equal(less.status, 422)
      assert.deepEqual(less.json.errors, { amount: ['Enter at least €0.46 for each transfer.'] })
      assert.equal((await pay('0.46')).status, 200)
    })
  })

  test('prints the currency’s code if the font lacks its symbol', async ({ assert }) => {
    const { resolve } = createRequire(import.meta.url)
    for (const name of [
      '400Regular/NotoSerifBengali_400Regular',
      '700Bold/NotoSerifBengali_700Bold',
    ]) {
      const font = charactersOf(
        await readFile(resolve(`@expo-google-fonts/noto-serif-bengali/${name}.ttf`))
      )
      const every = Array.from({ length: 0xd800 }, (_, code) => String.fromCodePoint(code))
      const missing = every.filter((one) => PRINTABLE_SYMBOL.test(one) && !font.has(one))
      assert.deepEqual(missing, [], name)
    }
    const bill = await makeBill(await makeCustomer())
    await use({ ...berlin, currency: 'RUB', symbol: '₽' })
    try {
      assert.equal(formatTaka('5', 'en'), 'RUB\u00A05.00')
      assert.equal(formatTaka('5', 'bn'), '৫.০০\u00A0RUB')
      const text = await textOf((await renderBillDocument(bill, 'invoice', 'en')).pdf)
      assert.match(text, /RUB\s1,2/)
      assert.notInclude(text, '₽')
      const staff = await signIn(await makeStaff())
      const { props } = (await staff.page('/admin/billing/settings')).json
      assert.containSubset(props, { regional: { symbol: '₽', document_symbol: 'RUB' } })
    } finally {
      await use(berlin)
    }
  })

  test('also accepts the usual symbol of the currency in statements', async ({ assert }) => {
    for (const [currency, symbol, text] of [
      ['BDT', 'Tk', '৳ 1,500.50'],
      ['BDT', 'Tk', 'Tk 1500.50'],
      ['EUR', 'Euro', '€ 1500.50'],
      ['EUR', 'Euro', '1500.50 Euro'],
    ]) {
      await use({ ...berlin, currency, symbol })
      assert.equal(parseTaka(text)?.toFixed(2), '1500.50', text)
    }
    await use(berlin)
  })

  test('sends its currency symbol with a partial reload of a page', async ({ assert }) => {
    const visitor = await signIn(await makeCustomer())
    const { component, version } = (await visitor.page('/billing')).json as unknown as {
      component: string
      version: string
    }
    const { json } = await visitor.get('/billing', {
      'x-inertia': 'true',
      'x-inertia-version': version,
      'x-inertia-partial-component': component,
      'x-inertia-partial-data': 'menu',
    })
    assert.containSubset(json.props, { region: { symbol: '€' } })
    assert.property(json.props as object, 'dollarRate')
  })

  test('closes a month when its last day is complete, also west of UTC', async ({ assert }) => {
    assert.equal(lastClosedMonth(DateTime.fromISO('2026-11-01T12:00:00Z')), '2026-10')
    await use({ ...berlin, billingTimeZone: 'America/New_York' })
    try {
      // The last evening of October in New York belongs to the UTC day 1 November, which ends in New
      // York at 19:00 on 1 November.
      assert.equal(lastClosedMonth(DateTime.fromISO('2026-11-02T02:00:00Z')), '2026-09')
      assert.equal(lastClosedMonth(DateTime.fromISO('2026-11-02T18:00:00Z')), '2026-10')
    } finally {
      await use(berlin)
    }
  })
})

function mailsOf(accountId: number, quantity: string, day: string) {
  const thing = `sender:${accountId}`
  const at = DateTime.fromISO(day, { zone: 'utc' })
  const meter = 'mail.accepted' as const
  return { accountId, meter, quantity, thing, source: `${thing}:${day}`, at }
}

test.group('A change of regional settings', (group) => {
  group.each.teardown(useDefaults)

  test('blocks everything that writes amounts or billing days', async ({ assert }) => {
    const customer = await makeCustomer()
    await charge(customer.id, [{ cost: '10' }])
    const now = DateTime.utc()
    await recordUsage([mailsOf(customer.id, '5', '2018-03-03')])
    const trx = await db.transaction()
    await lockRegionalSettingsExclusively(trx)
    const external = { externalId: freshTrx(), externalUser: 'u-1', amount: '5' }
    const results = Promise.allSettled([
      saveSpendingAlert({ id: customer.id, name: 'x' }, '5000', by),
      saveDollarRate('130', now.plus({ days: 3 }).toISODate()!, by),
      importExternalBill('autocourier', external, by),
      chargeSubscriptionPeriods(now, now),
      chargeUsageThroughMonth(DateTime.fromISO('2018-03-01'), '2018-03'),
      makeBills(now),
    ])
    const waiting = db.from('pg_stat_activity').where('wait_event_type', 'Lock')
    await eventually(async () => assert.lengthOf(await waiting.clone(), 6))
    await saveRegionalSettings(berlin, trx)
    await trx.commit()
    const outcomes = (await results).map((one) =>
      one.status === 'rejected' ? (one.reason as Error).message : 'done'
    )
    const currency = 'The currency is EUR now. Reload the page and enter the amount again.'
    const zone = 'The billing time zone has changed. Start the billing run again.'
    assert.deepEqual(outcomes.slice(0, 5), [
      currency,
      currency,
      'Berth takes payments in EUR. Bills in BDT cannot be paid.',
      zone,
      zone,
    ])
    assert.isNull(await db.from('usage_months').where('month', '2018-03').first())
    const bill = await Bill.findByOrFail('accountId', customer.id)
    assert.equal(bill.zone, 'Europe/Berlin')
    assert.equal(bill.dueDate!.diff(bill.billingDate, 'days').days, 14)
  })

  test('waits for running writers and for another change', async ({ assert }) => {
    const change = { ...DEFAULT_REGIONAL_SETTINGS, daysToPay: 20 }
    const writer = await db.transaction()
    await loadRegionalSettingsWithSharedLock(writer)
    let isDone = false
    const changed = changeRegionalSettings(change, null, by).then(() => (isDone = true))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const wasDone = isDone
    await writer.commit()
    assert.isFalse(wasDone)
    await changed
    const other = await db.transaction()
    await lockRegionalSettingsExclusively(other)
    const last = changeRegionalSettings({ ...change, feePercent: '2' }, null, by)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await saveRegionalSettings({ ...DEFAULT_REGIONAL_SETTINGS, daysToPay: 30 }, other)
    await other.commit()
    await last
    const entry = await db
      .from('audit_entries')
      .where('action', 'billing.update')
      .orderBy('id', 'desc')
      .first()
    assert.equal(entry.before.daysToPay, 30)
  })

  test('is not overwritten in memory by an earlier load that ends later', async ({ assert }) => {
    // Simulates a slow query, whose result has no settings.
    const first = () => new Promise((resolve) => setTimeout(resolve, 300))
    const slow = { from: () => ({ where: () => ({ select: () => ({ first }) }) }) }
    const older = loadRegionalSettings(slow as never)
    await use({ ...DEFAULT_REGIONAL_SETTINGS, symbol: 'Tk' })
    await older
    assert.equal(regionalSettings().symbol, 'Tk')
  })

  test('that raises a price from 0 keeps months free that were charged at 0', async ({
    assert,
  }) => {
    const { prices } = DEFAULT_REGIONAL_SETTINGS
    await use({ ...DEFAULT_REGIONAL_SETTINGS, prices: { ...prices, mail: '0' } })
    const { id: accountId } = await makeCustomer()
    const send = (quantity: string, day: string) => recordUsage([mailsOf(accountId, quantity, day)])
    const since = DateTime.fromISO('2018-07-01', { zone: 'utc' })
    const lines = () => db.from('bill_charges').where('account_id', accountId)
    await send('1000', '2018-07-05')
    await chargeUsageThroughMonth(since, '2018-07')
    await changeRegionalSettings(DEFAULT_REGIONAL_SETTINGS, null, by)
    await send('1', '2018-07-06')
    await chargeLateUsage(since, '2018-09')
    assert.lengthOf(await lines(), 0)
    await send('10', '2034-01-05')
    await chargeUsage('2034-01')
    assert.deepEqual(
      (await lines()).map(({ cost }) => Number(cost)),
      [0.004]
    )
  })
})

test.group('The regional settings form', (group) => {
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
      // This currency has three decimal places.
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

  test('requires an administrator', async ({ assert }) => {
    const support = await signIn(await makeStaff('support'))
    assert.equal((await support.post(path, defaults)).status, 403)
  })

  test('rejects another currency once there are bills, with the reason', async ({ assert }) => {
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

  test('changes the times on pages, but not the billing time zone after the first charge', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    // This time is in November in Dhaka, but in October in New York.
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

  test('changes currency, rate and billing time zone before the first charge', async ({
    assert,
  }) => {
    const change = { ...berlin, feePercent: '0', daysToPay: 14 }
    const trx = await db.transaction()
    try {
      // Creates empty temporary tables, which hide the real ones, as in a new installation. The test
      // rolls them back.
      for (const table of ['bills', 'bill_charges', 'usage_months', 'billing_alerts']) {
        await trx.rawQuery(`create temp table ${table} (like public.${table} including defaults)`)
      }
      await assert.rejects(
        () => changeRegionalSettings(change, null, by, trx),
        'Enter the price of one dollar in EUR.'
      )
      const coarse = { ...DEFAULT_REGIONAL_SETTINGS, digits: 1 }
      await assert.rejects(
        () => changeRegionalSettings(coarse, null, by, trx),
        'Bills of partners are in BDT with 2 decimal places. Choose 2.'
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
      // These two time zones are never on the same day.
      const east = { ...change, currency: 'USD', symbol: '$', timeZone: 'Pacific/Kiritimati' }
      await changeRegionalSettings(east, '1', by, trx)
      await changeRegionalSettings({ ...east, timeZone: 'Pacific/Pago_Pago' }, null, by, trx)
      assert.equal(Number(await loadDollarRate(trx)), 1)
    } finally {
      await trx.rollback()
    }
  })
})
