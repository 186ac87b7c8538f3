/// <reference lib="dom" />
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import { freshTrx, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import { ServerInstance } from '#instances/public'
import { Project } from '#projects/public'
import { openBrowser, takeScreenshot, visit } from '#tests/support/browser'
import { openDashboardByKeys } from '#tests/support/browser_steps'
import {
  createHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import { makeCustomer, makeStaff, testPassword } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import type Person from '#identity/models/person'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET
const MACHINE_TIMEOUT_MS = 480_000
/** Maximum number of Tab presses. No page needs so many to get from one element to another. */
const MAX_TAB_STOPS = 150

/** Presses Tab until an element has the focus, and checks that the focus is visible. */
async function tabTo(page: Page, thing: Locator) {
  await thing.waitFor()
  for (let stops = 0; stops < MAX_TAB_STOPS; stops++) {
    if (await thing.evaluate((one) => one === document.activeElement)) {
      const { outlineStyle, width } = await thing.evaluate((one) => {
        const { outlineStyle: style } = getComputedStyle(one)
        return { outlineStyle: style, width: one.getBoundingClientRect().width }
      })
      // Radio buttons show the focus on their labels.
      assert.ok(outlineStyle !== 'none' || width <= 20, 'The focus cannot be seen')
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${thing}`)
}

async function press(page: Page, thing: Locator) {
  await tabTo(page, thing)
  await page.keyboard.press('Enter')
}

async function type(page: Page, field: Locator, text: string) {
  await tabTo(page, field)
  await page.keyboard.type(text)
}

async function signIn(page: Page, path: string, person: Person) {
  await visit(page, path)
  await type(page, page.getByLabel('Email'), person.email)
  await type(page, page.getByLabel(/^Password/), testPassword)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

test.group('By keyboard alone', (group) => {
  group.setup(() => setMerchantAccount('01800000000'))

  test('a customer orders an instance and puts a site on it', async () => {
    const restore = await disableOtherHosts()
    const host = await createHost(socket!)
    const stopWorker = await startWorker()
    const option = await createSmallPackage('regular', { memoryMb: 512, diskGb: 4 })
    const customer = await makeCustomer()
    const { context, page } = await openBrowser()
    const name = uniqueName('web')
    try {
      await signIn(page, '/login', customer)

      // "First steps" links to the order form, which opens with the focus in it.
      await press(page, page.getByRole('link', { name: 'Create New Instance' }))
      const order = page.getByRole('dialog', { name: 'Create New Instance' })
      await type(page, order.getByLabel('Name'), name)
      const chosen = order.getByRole('radio', { name: option.name })
      const group = order.locator(`input[name="${await chosen.getAttribute('name')}"]:checked`)
      await tabTo(page, group.first())
      for (let steps = 0; steps < 500 && !(await chosen.isChecked()); steps++) {
        await page.keyboard.press('ArrowDown')
      }
      assert.ok(await chosen.isChecked())
      await press(page, order.getByRole('button', { name: 'Create instance' }))
      await order.waitFor({ state: 'hidden' })
      const card = page.getByRole('article', { name })
      await card.getByText('Active', { exact: true }).waitFor({ timeout: MACHINE_TIMEOUT_MS })

      // Presses G, D to open the dashboard, which now shows the next step.
      await openDashboardByKeys(page)
      await press(page, page.getByRole('link', { name: 'Add New Project' }))
      const form = page.getByRole('dialog', { name: 'Add New Project' })
      await tabTo(page, form.getByLabel('App Stack'))
      await page.keyboard.type('Static')
      const site = uniqueName('Newsletter')
      await type(page, form.getByLabel('Name'), site)
      await type(page, form.getByLabel('Path'), site.toLowerCase())
      await page.keyboard.press('Enter')
      await form.waitFor({ state: 'hidden' })
      await page
        .getByRole('row', { name: new RegExp(site) })
        .getByText('Active', { exact: true })
        .waitFor({ timeout: MACHINE_TIMEOUT_MS })
      const { stack } = await Project.findByOrFail('name', site)
      assert.equal(stack, 'static')

      // The dashboard lists the instance and the project, and no first steps any more.
      await openDashboardByKeys(page)
      await page.getByRole('table', { name: 'Server instances' }).getByText(name).waitFor()
      await page.getByRole('table', { name: 'Projects / Sites' }).getByText(site).waitFor()
      assert.equal(await page.getByText('First steps').count(), 0)
      await takeScreenshot(page, 'keyboard-dashboard')
    } catch (error) {
      await takeScreenshot(page, 'keyboard-stopped-here')
      throw error
    } finally {
      await option.merge({ offered: false }).save()
      await context.close()
      await stopWorker()
      await ServerInstance.query().where('hostInstanceId', host.id).update({ status: 'deleted' })
      await retireHosts(host)
      await restore()
    }
  })
    .skip(!socket, 'needs an Incus: set INCUS_SOCKET')
    .timeout(2 * MACHINE_TIMEOUT_MS)

  test('staff find a waiting bill and approve it', async () => {
    const bill = await makeBill(await makeCustomer())
    const claim = { accountNumber: '01711 234567', reference: 'web' }
    const parts = [{ trxId: freshTrx(), taka: null }]
    await reportBillPayment(bill, { ...claim, parts }, { actor: null })
    const { page } = await openBrowser()
    await signIn(page, '/admin/login', await makeStaff())
    await press(page, page.getByRole('link', { name: /bills? awaits? approval/ }).first())
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    const found = page.getByRole('dialog', { name: 'Find pages and resources' })
    await found.getByRole('combobox').waitFor()
    await page.keyboard.type(bill.number!)
    await found.getByRole('option', { name: bill.number! }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/admin/billing/details/${bill.id}`)
    await press(page, page.getByRole('main').getByRole('button', { name: 'Approve', exact: true }))
    const dialog = page.getByRole('dialog', { name: 'Approve' })
    await press(page, dialog.getByRole('button', { name: 'Approve' }))
    await dialog.waitFor({ state: 'hidden' })
    assert.equal((await Bill.findOrFail(bill.id)).status, 'success')
  })
})
