import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import { storeStatement } from '#billing/statements/store_statement'
import { freshTrx, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import {
  takeScreenshots,
  waitForToast,
  visit,
  openPageAs,
  openDashboardAs,
} from '#tests/support/browser'
import { uniqueName } from '#tests/support/hosts'
import { startWorker } from '#tests/support/worker'
import { makeCustomer, makeStaff } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'

const PAYER_NUMBER = '01711234567'

/** Creates a bill with a reported payment. Returns the bill, and the payment's transaction ID and amount in taka. */
async function claimed() {
  const bill = await makeBill(await makeCustomer())
  const trxId = freshTrx()
  const claim = { accountNumber: PAYER_NUMBER, reference: null, parts: [{ trxId, taka: null }] }
  await reportBillPayment(bill, claim, { actor: null })
  const { taka } = await db.from('bill_payments').where('trx_id', trxId).firstOrFail()
  return { bill: await bill.refresh(), trxId, taka: taka as string }
}

/**
 * Formats a statement (list of payments) as bKash exports it, with a header line above the table.
 */
const statementOf = (rows: string[][]) =>
  [
    'Merchant statement,01800000000',
    'SL,Trx Id,Transaction Date,Trx Type,Sender,Receiver,Transacted Amount,Fee',
    ...rows.map(
      ([trxId, amount, sender], index) =>
        `${index + 1},${trxId},24/11/2026 09:1${index},Payment,${sender},01800000000,"${amount}",1.85`
    ),
  ].join('\r\n')

/** The daily reconciliation: compares the operator's statement with the payments that customers reported. */
test.group('Statements', (group) => {
  group.setup(() => setMerchantAccount('01800000000'))

  test('staff upload a statement, assign its columns once, and approve exact matches', async ({
    cleanup,
  }) => {
    cleanup(await startWorker())
    // The operator is new, so its columns are not known yet.
    const operator = uniqueName('bKash')
    const [one, two, short, lost] = [
      await claimed(),
      await claimed(),
      await claimed(),
      await claimed(),
    ]
    const stranger = freshTrx()
    const file = (rows: string[][], name: string) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(statementOf(rows)),
    })
    const page = await openDashboardAs(await makeStaff())
    await page.getByRole('button', { name: /Billing & Payments/ }).click()
    await page.getByRole('link', { name: 'Statements' }).click()
    await page.getByRole('heading', { name: 'Statements', level: 1 }).waitFor()
    await page.getByRole('table', { name: 'Reported payments that are on no statement' }).waitFor()
    await takeScreenshots(page, 'statements-none')

    await page.getByRole('button', { name: 'Add statement' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add statement' })
    await dialog.getByLabel('Operator').fill(operator)
    const choose = async (chosen: ReturnType<typeof file>) => {
      const [asked] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByRole('button', { name: 'File' }).click(),
      ])
      await asked.setFiles(chosen)
    }
    await choose({ name: 'day.csv', mimeType: 'text/csv', buffer: Buffer.from('PK\x03\x04') })
    await dialog.getByRole('button', { name: 'Read statement' }).click()
    await dialog.getByText('This workbook cannot be read. Save it as CSV').waitFor()
    await takeScreenshots(page, 'statements-refused', false)
    const rows = [
      [one.trxId, one.taka, PAYER_NUMBER],
      [two.trxId, two.taka, '017****4567'],
      [short.trxId, '1,22,500.00', PAYER_NUMBER],
      [stranger, '500.00', '01911000000'],
      ['1.23E+11', '20', PAYER_NUMBER],
    ]
    await choose(file(rows, 'november-24.csv'))
    await dialog.getByRole('button', { name: 'Read statement' }).click()

    await page.getByRole('heading', { name: `Statement of ${operator}`, level: 1 }).waitFor()
    const columnOf = (label: string) =>
      page.getByLabel(label).evaluate((one: HTMLSelectElement) => one.selectedOptions[0].text)
    assert.equal(await columnOf('Transaction ID'), 'Trx Id')
    assert.equal(await columnOf('Amount received'), 'Transacted Amount')
    assert.equal(await columnOf('Sender'), 'Sender')
    await page.getByRole('table', { name: 'First rows' }).getByText(one.trxId).waitFor()
    await takeScreenshots(page, 'statements-columns')
    await page.getByRole('button', { name: 'Read statement with these columns' }).click()

    const line = (trxId: string) => page.getByRole('row').filter({ hasText: trxId })
    await line(one.trxId).getByText('Exact').waitFor()
    await line(two.trxId).getByText('Exact').waitFor()
    await line(short.trxId).getByText('Amount differs').waitFor()
    await line(stranger).getByText('Not reported yet').waitFor()
    await page.getByText('A spreadsheet shortened the transaction ID').waitFor()
    await takeScreenshots(page, 'statements-lines')

    await page.getByRole('button', { name: 'Approve 2 exact' }).click()
    const approve = page.getByRole('dialog', { name: 'Approve exact matches' })
    await approve.getByText('Approve the payments of 2 bills?').waitFor()
    await takeScreenshots(page, 'statements-approve', false)
    await approve.getByRole('button', { name: 'Approve' }).click()
    await waitForToast(page, 'Approving the exact matches.')
    await line(one.trxId).getByText('Approved').waitFor()
    await line(two.trxId).getByText('Approved').waitFor()
    for (const { bill } of [one, two]) {
      assert.equal((await Bill.findOrFail(bill.id)).status, 'success')
    }
    assert.equal((await Bill.findOrFail(short.bill.id)).status, 'processing')
    const done = page.getByRole('button', { name: 'Approve exact' })
    assert.equal(await done.getAttribute('aria-disabled'), 'true')
    await takeScreenshots(page, 'statements-approved')

    // The bill's page shows that the amount differs and links to the statement.
    await visit(page, `/admin/billing/details/${short.bill.id}`)
    await page.getByText('Amount differs').waitFor()
    await takeScreenshots(page, 'statements-bill')
    await page.getByRole('link', { name: 'Statement', exact: true }).click()
    await line(short.trxId).waitFor()
    await visit(page, `/admin/billing/details/${short.bill.id}`)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    const differs = page.getByRole('dialog', { name: 'Approve' })
    await differs.getByText('too much').waitFor()
    assert.ok(await differs.getByRole('radio', { name: /^Received: / }).isChecked())
    await takeScreenshots(page, 'statements-differs', false)
    await visit(page, `/admin/billing/details/${lost.bill.id}`)
    await page.getByText('Not on a statement yet').waitFor()

    // The next statement of this operator needs no assignment of columns. Transactions that are already known are
    // skipped.
    await visit(page, '/admin/billing/statements')
    await page.getByRole('button', { name: 'Add statement' }).first().click()
    await dialog.getByLabel('Operator').fill(operator)
    await choose(file([...rows, [lost.trxId, lost.taka, PAYER_NUMBER]], 'november-25.csv'))
    await dialog.getByRole('button', { name: 'Read statement' }).click()
    await line(lost.trxId).getByText('Exact').waitFor()
    await page.getByRole('button', { name: 'Approve 1 exact' }).waitFor()
    await visit(page, '/admin/billing/statements')
    const mine = page.getByRole('table', { name: 'Statements' }).getByRole('row')
    await mine.filter({ hasText: operator }).nth(1).waitFor()
    await takeScreenshots(page, 'statements-list')
  })

  test('staff define an unknown status before its transfer counts', async () => {
    const operator = uniqueName('Bank')
    const { trxId, taka } = await claimed()
    const rows = [
      [trxId, taka, PAYER_NUMBER, 'Umgebucht'],
      [freshTrx(), '20.00', PAYER_NUMBER, 'Verrechnet'],
    ]
    const text = ['Trx Id,Amount,Sender,Status', ...rows.map((row) => row.join(','))].join('\n')
    const handed = { operator, filename: 'day.csv', file: Buffer.from(text) }
    const id = await storeStatement(handed, { actor: null })
    const page = await openPageAs(await makeStaff())
    await visit(page, `/admin/billing/statements/${id}`)
    await page.getByRole('button', { name: 'Read statement with these columns' }).click()
    const question = page.getByLabel('Status: Umgebucht')
    await question.waitFor()
    await page.getByText('2 rows have words that Berth does not know.').waitFor()
    await page.getByText('Berth skips rows with unknown words until you answer above.').waitFor()
    await takeScreenshots(page, 'statements-words')
    /** Submits the answers. Returns the body of the request. */
    const answer = async (option: string) => {
      await question.selectOption(option)
      const [request] = await Promise.all([
        page.waitForRequest('**/admin/billing/statements/columns'),
        page.getByRole('button', { name: 'Save answers and read the statement again' }).click(),
      ])
      return request.postDataJSON() as unknown
    }
    const line = page.getByRole('row').filter({ hasText: trxId })
    const sentAnswer = (counts: boolean | null) => ({
      id,
      terms: [{ column: 'status', term: 'Umgebucht', counts }],
    })
    assert.deepEqual(await answer('Counts as received'), sentAnswer(true))
    await line.getByText('Exact').waitFor()
    await page.getByText('1 row has a word that Berth does not know.').waitFor()
    // Simulates that another person answered a question about another term after this page was loaded.
    const other = { column: 'status' as const, term: 'Verrechnet', counts: false }
    await saveColumnMapping(id, { terms: [other] }, { actor: null })
    assert.deepEqual(await answer('Not answered yet'), sentAnswer(null))
    await line.waitFor({ state: 'detached' })
    await page.getByText('1 row has a word that Berth does not know.').waitFor()
    const { terms } = await db.from('statement_formats').where({ operator }).firstOrFail()
    assert.deepEqual(terms, [other])
  })

  test('after an upload, a late response of the list does not replace the page of the new statement', async () => {
    const operator = uniqueName('bKash')
    const page = await openPageAs(await makeStaff())
    await visit(page, '/admin/billing/statements')
    const released = Promise.withResolvers<void>()
    // The upload reloads the list below the dialog while the dialog opens another page. The test delays the list's
    // response.
    await page.route('**/admin/billing/statements?*', async (route) => {
      await released.promise
      await route.continue().catch(() => {})
    })
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.getByRole('button', { name: 'Add statement' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add statement' })
    await dialog.getByLabel('Operator').fill(operator)
    const [asked] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'File' }).click(),
    ])
    const rows = [[freshTrx(), '500.00', PAYER_NUMBER]]
    const buffer = Buffer.from(statementOf(rows))
    await asked.setFiles({ name: 'day.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'Read statement' }).click()
    const heading = page.getByRole('heading', { name: `Statement of ${operator}`, level: 1 })
    await heading.waitFor()
    released.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    // If a late response of the list replaced the page, this button would be gone.
    await page.getByRole('button', { name: 'Read statement with these columns' }).click()
    await page.getByRole('row').filter({ hasText: rows[0][0] }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    assert.deepEqual(errors, [])
  })
})
