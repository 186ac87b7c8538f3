/// <reference lib="dom" />
import { makeBill } from '#billing/tests/fixtures'
import { showInColorScheme, takeScreenshot, visit, openPageAs } from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'

test.group('Printing', () => {
  test('a printed page is light, without menu and buttons, and the screen is unchanged afterwards', async () => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    const page = await openPageAs(customer)
    await visit(page, `/billing/${bill.id}`)
    await showInColorScheme(page, 'dark')
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
    const menu = page.getByRole('navigation', { name: 'Main' })
    const pay = page.getByText('Pay Now', { exact: true })
    assert.equal(await scheme(), 'dark')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    assert.equal(await scheme(), 'light')
    await menu.waitFor({ state: 'hidden' })
    await pay.waitFor({ state: 'hidden' })
    await page.getByText(bill.number!).first().waitFor()
    await takeScreenshot(page, 'print-bill')
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
    assert.equal(await scheme(), 'dark')
    await menu.waitFor()
    await pay.waitFor()
  })
})
