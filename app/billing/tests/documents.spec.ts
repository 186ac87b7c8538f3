import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { approveBillPayment } from '#billing/actions/approve_or_reject_bill_payment'
import { creditBill } from '#billing/actions/credit_or_write_off_bill'
import { formatDay, formatDollars, formatTaka } from '#billing/documents/localized_format'
import { PdfRenderer, sharedPdfRenderer } from '#billing/documents/pdf_renderer'
import Bill from '#billing/models/bill'
import { freshTrx, type ChargeInput, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { dollarsToTaka, totalTakaWithFee } from '#core/money'
import type Person from '#identity/models/person'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const by = { actor: null }

async function read(pdf: Buffer, ...options: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bill-'))
  try {
    const file = join(folder, 'bill.pdf')
    await writeFile(file, pdf)
    const { stdout } = await run('pdftotext', [...options, file, '-'])
    // Removes zero-width spaces. The template inserts them so that long words can break.
    return stdout.replaceAll('\u200b', '')
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function fetchAs(person: Person, path: string) {
  const visitor = await signIn(person)
  const answered = await visitor.fetch(path)
  const pdf = Buffer.from(await answered.arrayBuffer())
  const { status, headers } = answered
  return { status, headers, pdf, text: status === 200 ? await read(pdf, '-layout') : '' }
}

const paid = async (bill: Bill) => {
  const parts = [{ trxId: freshTrx(), taka: null }]
  await reportBillPayment(bill, { accountNumber: '01711 234567', reference: null, parts }, by)
  await approveBillPayment(bill, by)
  return bill.refresh()
}

test.group('Numbers in documents', () => {
  test('follow the formats of Bangladesh', ({ assert }) => {
    assert.equal(formatTaka('12345678.5', 'bn'), '১,২৩,৪৫,৬৭৮.৫০৳')
    assert.equal(formatTaka('12345678.5', 'en'), '৳1,23,45,678.50')
    assert.equal(formatTaka('-0.005', 'en'), '-৳0.01')
    // A floating-point number could not represent all these digits.
    assert.equal(formatTaka('99999999999999.99', 'en'), '৳9,99,99,99,99,99,999.99')
    assert.equal(formatDollars('10', 'bn'), '$১০.০০')
    assert.equal(formatDollars('0.000123', 'en'), '$0.000123')
    assert.equal(formatDay('2026-10-08', 'en'), '8 October 2026')
    assert.equal(formatDay('2026-10-08', 'bn'), '৮ অক্টোবর, ২০২৬')
  })
})

test.group('A printed bill', (group) => {
  let customer: Person
  group.each.setup(async () => {
    await setMerchantAccount()
    customer = await makeCustomer()
  })

  test('names seller, customer and amounts in English and Bangla', async ({ assert }) => {
    const lines: ChargeInput[] = [
      { name: 'harbour-web', cost: '100000' },
      { type: 'vault', name: 'photos', billType: 'Storage', period: '2026-10', cost: '1.5' },
    ]
    const bill = await makeBill(customer, lines)
    const rate = await loadDollarRate()
    const english = await fetchAs(customer, `/billing/${bill.id}/invoice.pdf`)
    assert.equal(english.status, 200)
    assert.equal(english.headers.get('content-type'), 'application/pdf')
    assert.equal(english.headers.get('cache-control'), 'private, no-store')
    for (const part of [
      `Invoice ${bill.number}`,
      'Berth',
      'Dhaka',
      '0012345678901',
      customer.email,
      'harbour-web',
      '$1,00,000.00',
      'photos',
      'Storage',
      '2026-10',
      '$1.50',
      formatTaka(dollarsToTaka('100001.5', rate), 'en'),
      formatTaka(totalTakaWithFee('100001.5', rate, '1.75'), 'en'),
      formatDay(bill.dueDate!.toISODate()!, 'en'),
    ]) {
      assert.include(english.text, part)
    }
    const bangla = await fetchAs(customer, `/billing/${bill.id}/invoice.pdf?language=bn`)
    for (const part of [
      'harbour-web',
      '$১,০০,০০০.০০',
      bill.number!,
      formatTaka(dollarsToTaka('100001.5', rate), 'bn'),
      formatTaka(totalTakaWithFee('100001.5', rate, '1.75'), 'bn'),
    ]) {
      assert.include(bangla.text, part)
    }
    assert.equal(
      (await fetchAs(customer, `/billing/${bill.id}/invoice.pdf?language=fr`)).status,
      422
    )
  })

  test('stays as it was issued, whatever changes afterwards', async ({ assert }) => {
    const bill = await makeBill(customer)
    await db
      .from('settings')
      .where('key', 'billing')
      .update({
        value: JSON.stringify({
          seller: { name: 'Quay Ltd', address: 'Khulna', bin: '', vat: '15' },
        }),
      })
    await db.from('accounts').where('id', customer.id).update({ name: 'Somebody else' })
    const { text } = await fetchAs(customer, `/billing/${bill.id}/invoice.pdf`)
    assert.include(text, bill.issued.buyer.name)
    assert.notInclude(text, 'Quay Ltd')
    assert.notInclude(text, 'Somebody else')
    assert.notInclude(text, 'VAT')
    const next = await makeBill(customer, [{ cost: '11.5' }])
    const shown = await fetchAs(customer, `/billing/${next.id}/invoice.pdf`)
    assert.include(shown.text, 'Quay Ltd')
    // The total includes VAT of 15 %, so the VAT is 15/115 of the total.
    const vat = dollarsToTaka('1.5', await loadDollarRate())
    assert.match(shown.text, new RegExp(`VAT included, 15%\\s+${formatTaka(vat, 'en')}`))
  })

  test('has a receipt after an approved payment, and a credit note that names the bill', async ({
    assert,
  }) => {
    const bill = await makeBill(customer)
    const receipt = `/billing/${bill.id}/receipt.pdf`
    assert.equal((await fetchAs(customer, receipt)).status, 404)
    await creditBill(bill, { amount: '4', note: 'Down for a day' }, by)
    const { number } = await db
      .from('ledger_transfers')
      .where('bill_id', bill.id)
      .orderBy('id', 'desc')
      .first()
    const path = `/billing/${bill.id}/credit-note.pdf`
    const credit = await fetchAs(customer, `${path}?number=${number}&language=en`)
    for (const part of [number, bill.number!, 'Down for a day', '$4.00']) {
      assert.include(credit.text, part)
    }
    assert.equal((await fetchAs(customer, `${path}?number=C-2020-000001`)).status, 404)
    const settled = await paid(bill)
    const sent = formatTaka(totalTakaWithFee('6', settled.dollarRate!, '1.75'), 'en')
    const { text } = await fetchAs(customer, receipt)
    for (const part of [settled.trxId!, '01711 234567', '$6.00', sent]) assert.include(text, part)
    const staff = await fetchAs(
      await makeStaff('support'),
      `/admin/billing/details/${bill.id}/receipt.pdf`
    )
    assert.include(staff.text, settled.trxId!)
    assert.equal((await fetchAs(await makeCustomer(), receipt)).status, 404)
  })

  test('prints typed text literally, never as Typst code', async ({ assert }) => {
    const wicked = '#include "/etc/passwd" *b* _i_ $x$ \\ `raw` <a> @b // c [d] #panic()'
    await db.from('accounts').where('id', customer.id).update({ name: wicked })
    const long = `${'W'.repeat(300)}END`
    const bangla = 'খুব লম্বা নাম '.repeat(20).trim()
    const bill = await makeBill(customer, [
      { name: wicked, cost: '1' },
      { name: long, cost: '1' },
      { name: bangla, cost: '1' },
    ])
    const { pdf } = await fetchAs(customer, `/billing/${bill.id}/invoice.pdf`)
    // Whitespace is removed, because long texts break into lines. `pdftotext` reads by column, so other
    // columns can precede the rest of a broken word.
    const flat = (await read(pdf)).replaceAll(/\s+/g, '')
    assert.equal(flat.split(wicked.replaceAll(' ', '')).length - 1, 2)
    assert.equal(flat.match(/W/g)!.length, 300)
    assert.notInclude(flat, 'root:x:0')
  })

  test('continues on as many pages as it needs', async ({ assert }) => {
    const bill = await makeBill(
      customer,
      Array.from({ length: 400 }, (_, at) => ({ name: `web-${at}`, cost: '0.5' }))
    )
    const { text } = await fetchAs(customer, `/billing/${bill.id}/invoice.pdf`)
    for (const name of ['web-0', 'web-199', 'web-399']) assert.include(text, name)
    assert.include(text, formatTaka(dollarsToTaka('200', await loadDollarRate()), 'en'))
  })
})

test('A document with any Unicode text is printed', async ({ assert }) => {
  const sheet = { parties: [], details: [], columns: [], rows: [], totals: [] }
  const pdf = await sharedPdfRenderer.render({
    ...sheet,
    language: 'bn',
    title: '"\\u{0}\u202e😀 漢字',
  })
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
})

test.group('The PDF renderer', () => {
  const sheet = {
    language: 'en' as const,
    title: 'Invoice',
    parties: [],
    details: [],
    totals: [],
    columns: [{ label: 'Name' }, { label: 'Cost', right: true }],
  }

  test('responds with 503 if its engine is not installed', async ({ assert, cleanup }) => {
    const none = new PdfRenderer('@nowhere/no-such-engine')
    cleanup(() => none.stop())
    const error = await none.render({ ...sheet, rows: [] }).catch((reason: unknown) => reason)
    assert.containSubset(error, { status: 503, code: 'no_printer' })
  })

  test('does not block the event loop while it renders a bill of 5,000 lines', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 5_000 }, (_, index) => [`Line ${index}`, '৳1.00'])
    await sharedPdfRenderer.render({ ...sheet, rows: rows.slice(0, 1) })
    let turns = 0
    const counting = setInterval(() => turns++, 1)
    const pdf = await sharedPdfRenderer.render({ ...sheet, rows })
    clearInterval(counting)
    assert.include(await read(pdf), 'Line 4999')
    // The timer keeps running, because another thread renders the PDF.
    assert.isAbove(turns, 20)
  })
})
