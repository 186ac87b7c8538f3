import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import { payableInTaka } from '#billing/payable_amounts'
import { buildBillsToReviewCountQuery, findNextBillIdToReview } from '#billing/queries/bills'
import { freshTrx, makeBill, makeExternalBill, setMerchantAccount } from '#billing/tests/fixtures'
import { formatTaka } from '#core/money'
import { loadRegionalSettings, saveRegionalSettings } from '#core/settings/load_regional_settings'
import { DEFAULT_REGIONAL_SETTINGS } from '#core/settings/regional_settings'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type Person from '#identity/models/person'
import {
  openBrowser,
  takeScreenshots,
  signInThroughPage,
  waitForToast,
  visit,
  openPageAs,
  openDashboardAs,
} from '#tests/support/browser'
import { readCopiedText } from '#tests/support/browser_steps'
import { makeCustomer, makeStaff } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const MERCHANT_NUMBER = '01800000000'
const PAYER_NUMBER = '01711 234567'
const REJECTION_NOTE = 'No transfer of this number reached us.'

const lines = [
  { name: 'harbour-web', cost: '10' },
  { name: 'harbour-web', billType: 'extra_storage', period: 'month', cost: '1.2' },
  { type: 'vault', name: 'photos', billType: 'storage', period: '2026-10', cost: '1.5' },
]

/** Creates a bill whose payment a customer has reported. */
async function claimedBill(customer: Person): Promise<Bill> {
  const bill = await makeBill(customer)
  const claim = { accountNumber: PAYER_NUMBER, reference: 'web' }
  await reportBillPayment(
    bill,
    { ...claim, parts: [{ trxId: freshTrx(), taka: null }] },
    { actor: null }
  )
  return bill.refresh()
}

const badge = (page: Page, status: string) =>
  page.getByRole('main').getByText(status, { exact: true }).first()

test.group('Billing', (group) => {
  group.setup(() => setMerchantAccount(MERCHANT_NUMBER))

  test('a customer opens a bill, pays it and sees that it waits for approval', async () => {
    const customer = await makeCustomer()
    const { context, page } = await openBrowser()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signInThroughPage(page, customer)
    await page.getByRole('link', { name: 'Billing & Payment' }).click()
    await page.getByText('No bills found.').waitFor()
    const soFar = page.getByRole('region', { name: 'This month so far' })
    await soFar.getByText('No usage or renewals this month yet.').waitFor()
    await soFar.getByLabel('Alert me when this month reaches').fill('5000.50')
    await soFar.getByRole('button', { name: 'Save alert' }).click()
    await waitForToast(page, 'Alert saved. We email you when this month reaches ৳5,000.50.')
    await takeScreenshots(page, 'billing-none')

    const bill = await makeBill(customer, lines)
    const total = payableInTaka({ ...sumOf(bill), dollarRate: null }, await loadDollarRate())
    await page.getByRole('link', { name: bill.number!, exact: true }).waitFor()
    for (const name of ['Bill ID', 'Amount', 'Status', 'Billing Date', 'Action']) {
      await page.getByRole('columnheader', { name }).waitFor()
    }
    await takeScreenshots(page, 'billing-list')

    await page.getByRole('link', { name: `Details of ${bill.number}` }).click()
    await page.getByRole('heading', { name: `Bill ${bill.number}`, level: 1 }).waitFor()
    assert.equal(await page.getByText('Payment Information').count(), 0)
    await page.getByText('Dollar rate').waitFor()
    await page.getByText('৳122.50').waitFor()
    await page.getByRole('button', { name: /Server Instances \(2\)/ }).waitFor()
    await page.getByRole('table', { name: 'Vaults' }).getByText('photos').waitFor()
    assert.equal(
      await page.getByRole('button', { name: 'Receipt, English' }).getAttribute('aria-disabled'),
      'true'
    )
    for (const name of ['Invoice, English', 'Invoice, বাংলা']) {
      const href = await page.getByRole('link', { name }).getAttribute('href')
      const printed = await page.request.get(new URL(href!, page.url()).href)
      assert.equal(printed.headers()['content-type'], 'application/pdf')
      assert.equal((await printed.body()).subarray(0, 5).toString(), '%PDF-')
    }
    await takeScreenshots(page, 'billing-pending')
    const servers = page.getByRole('button', { name: /Server Instances/ })
    await servers.click()
    await page.getByRole('table', { name: 'Server Instances' }).waitFor({ state: 'detached' })
    await servers.click()

    await page.getByRole('button', { name: 'Pay Now' }).click()
    const form = page.getByRole('dialog', { name: `Pay bill ${bill.number}` })
    await form.getByText(MERCHANT_NUMBER, { exact: true }).first().waitFor()
    await form.getByRole('img', { name: `QR code of ${MERCHANT_NUMBER}` }).waitFor()
    await form.getByText(formatTaka(total)).waitFor()
    const copied = await readCopiedText(page, () =>
      form.getByRole('button', { name: 'Copy total payable' }).click()
    )
    assert.equal(copied, total)
    await takeScreenshots(page, 'billing-pay', false)
    await form.getByLabel('Account number').fill('mine')
    await form.getByLabel('Transaction ID').fill('?')
    await form.getByRole('button', { name: 'Send for approval' }).click()
    await form.getByText('Enter the mobile number').waitFor()
    await form.getByText('Enter only the transaction ID, such as 8N7A2B3C4D.').waitFor()
    await takeScreenshots(page, 'billing-pay-refused', false)
    // Adds a second transfer and removes it, both with the keyboard only.
    await form.getByRole('button', { name: 'Add another transfer' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('SECOND0001')
    await page.keyboard.press('Tab')
    await page.keyboard.type('1000')
    await form.getByText('left').waitFor()
    assert.equal(await form.getByLabel('Transaction ID 2').inputValue(), 'SECOND0001')
    await takeScreenshots(page, 'billing-pay-several', false)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await form.getByLabel('Transaction ID 2').waitFor({ state: 'detached' })
    const trx = freshTrx()
    await form.getByLabel('Account number').fill(PAYER_NUMBER)
    await form.getByLabel('Reference').fill('harbour')
    await form.getByLabel('Transaction ID').fill(trx.toLowerCase())
    await form.getByRole('button', { name: 'Send for approval' }).click()
    await waitForToast(page, 'Thank you. We are checking your payment')

    await page.getByRole('heading', { name: 'Payment Information' }).waitFor()
    await badge(page, 'Processing').waitFor()
    await page.getByText(trx).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Pay Now' }).count(), 0)
    await takeScreenshots(page, 'billing-processing')
    await page.getByRole('link', { name: 'Back to Bills' }).click()
    await page.getByRole('heading', { name: 'Billing & Payment', level: 1 }).waitFor()
  })

  test('staff reject a payment with a note, and approve one by the keyboard', async () => {
    const customer = await makeCustomer()
    const bill = await claimedBill(customer)
    const other = await claimedBill(customer)
    const page = await openDashboardAs(await makeStaff())
    const waiting = Number((await buildBillsToReviewCountQuery('console'))[0].total)
    await page.getByRole('button', { name: /Billing & Payments/ }).click()
    await page
      .getByRole('link', { name: `console billing ${waiting > 99 ? '99+' : waiting} new` })
      .click()
    await page.getByRole('heading', { name: 'Billing List', level: 1 }).waitFor()
    await page.getByRole('group', { name: 'Filter by status' }).getByText('Processing').click()
    await page.getByRole('link', { name: `Details of ${bill.number}` }).waitFor()
    await takeScreenshots(page, 'billing-staff-list')
    await page.getByRole('link', { name: `Details of ${bill.number}` }).click()
    await page.getByRole('heading', { name: 'Bill Details', level: 1 }).waitFor()
    await page.getByText(bill.trxId!).waitFor()
    await takeScreenshots(page, 'billing-staff-details')

    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    const reject = page.getByRole('dialog', { name: 'Reject' })
    await reject
      .getByText(`Are you sure you want to reject this account (${PAYER_NUMBER})?`, {
        exact: true,
      })
      .waitFor()
    await reject.getByLabel('Note').fill(REJECTION_NOTE)
    await takeScreenshots(page, 'billing-reject', false)
    await reject.getByRole('button', { name: 'Reject' }).click()
    await waitForToast(page, `The payment of ${bill.number} is rejected.`)
    await page.waitForURL(/details/)
    await visit(page, `/admin/billing/details/${bill.id}`)
    await badge(page, 'Rejected').waitFor()
    await takeScreenshots(page, 'billing-staff-rejected')

    const owner = await openPageAs(customer)
    await visit(owner, `/billing/${bill.id}`)
    await badge(owner, 'Rejected').waitFor()
    await owner.getByText(REJECTION_NOTE).waitFor()
    await takeScreenshots(owner, 'billing-rejected')
    await owner.getByRole('button', { name: 'Pay Now' }).click()
    const pay = owner.getByRole('dialog', { name: `Pay bill ${bill.number}` })
    await pay.getByLabel('Account number').fill(PAYER_NUMBER)
    await pay.getByLabel('Transaction ID').fill(freshTrx())
    await pay.getByRole('button', { name: 'Send for approval' }).click()
    await badge(owner, 'Processing').waitFor()

    // Approves with the keyboard only: A, then Enter. The next bill opens.
    await visit(page, `/admin/billing/details/${other.id}`)
    const next = await findNextBillIdToReview(other)
    await page.keyboard.press('a')
    const approve = page.getByRole('dialog', { name: 'Approve' })
    await approve
      .getByText(`Are you sure you want to approve this account (${PAYER_NUMBER})?`, {
        exact: true,
      })
      .waitFor()
    await takeScreenshots(page, 'billing-approve', false)
    await page.keyboard.press('Enter')
    await waitForToast(page, `The payment of ${other.number} is approved.`)
    await page.waitForURL(`**/admin/billing/details/${next}`)
    assert.equal((await Bill.findOrFail(other.id)).status, 'success')
    await visit(owner, `/billing/${other.id}`)
    await badge(owner, 'Success').waitFor()
    await takeScreenshots(owner, 'billing-success')
  })

  test("staff see and decide Auto Courier's bills, and set rate and merchant", async () => {
    const bill = await makeExternalBill()
    const claim = { accountNumber: PAYER_NUMBER, reference: 'courier' }
    const trxId = freshTrx()
    await reportBillPayment(bill, { ...claim, parts: [{ trxId, taka: null }] }, { actor: null })
    const page = await openPageAs(await makeStaff())
    await visit(page, '/admin/autocourier-billing/list')
    await page.getByText(trxId).waitFor()
    await takeScreenshots(page, 'billing-courier-list')
    await page.getByRole('link', { name: `Details of ${bill.externalId}` }).click()
    await page.getByRole('heading', { name: 'Auto Courier Bill Details', level: 1 }).waitFor()
    await page.getByText('1,500.50').first().waitFor()
    await takeScreenshots(page, 'billing-courier-details')
    await page.getByRole('button', { name: 'Approve' }).click()
    const approve = page.getByRole('dialog', { name: 'Approve' })
    await approve.getByRole('button', { name: 'Approve' }).click()
    await waitForToast(page, 'is approved.')
    assert.equal((await Bill.findOrFail(bill.id)).status, 'success')

    await visit(page, '/admin/billing/settings')
    await page.getByLabel('Merchant account').waitFor()
    await takeScreenshots(page, 'billing-settings')
  })
})

/** The settings page, and pages of an installation whose provider chose other regional settings. */
test.group('Regional settings', (group) => {
  const useDefaults = async () => {
    await db.from('settings').where('key', 'regional').delete()
    await loadRegionalSettings()
  }
  group.each.teardown(useDefaults)

  test('staff change the settings, and pages show the change at once and after a reload', async () => {
    // Restores the default settings, in case a failed first attempt changed them.
    await useDefaults()
    const staff = await makeStaff()
    const page = await openPageAs(staff)
    await visit(page, '/admin/billing/settings')
    await page.getByRole('heading', { name: 'Currency, time zone and prices' }).waitFor()
    await takeScreenshots(page, 'billing-settings')
    const region = page.getByRole('region', { name: 'Currency, time zone and prices' })
    await region.getByLabel('Currency').fill('eur')
    await region.getByLabel('Price of one dollar in EUR').fill('0.92')
    await region.getByLabel('Symbol').fill('<b>')
    await region.getByLabel('Time zone').fill('Europe/Atlantis')
    await region.getByRole('button', { name: 'Save currency and prices' }).click()
    await region.getByText('Use only letters, dots and currency signs').waitFor()
    await takeScreenshots(page, 'billing-settings-refused')
    await region.getByLabel('Currency').fill('BDT')
    await region.getByLabel('Symbol').fill('Tk')
    await region.getByRole('button', { name: 'Save currency and prices' }).click()
    await region.getByText('Enter the name of a time zone').waitFor()
    await region.getByLabel('Time zone').fill('Europe/Berlin')
    await region.getByRole('button', { name: 'Save currency and prices' }).click()
    await waitForToast(page, 'Currency, time zone and prices saved.')
    await page.getByRole('table', { name: 'All dollar rates' }).getByText('Tk').first().waitFor()

    const berlin = {
      ...DEFAULT_REGIONAL_SETTINGS,
      currency: 'EUR',
      symbol: '€',
      feePercent: '0',
      timeZone: 'Europe/Berlin',
      billingTimeZone: 'Europe/Berlin',
    }
    await db.transaction((trx) => saveRegionalSettings(berlin, trx))
    await loadRegionalSettings()
    for (const path of ['/admin/billing/settings', '/admin/billing/overview', '/services']) {
      await visit(page, path)
      await page.getByText('€').first().waitFor()
      assert.equal(await page.getByText(/৳|Dhaka/).count(), 0, path)
      await takeScreenshots(page, `berlin${path.replaceAll('/', '-')}`)
    }
  })
})

function sumOf({ currency, due, amount, issued }: Bill) {
  return { currency, due, amount, issued }
}
