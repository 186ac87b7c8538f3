/// <reference lib="dom" />
import { signOutEverywhere } from '#identity/actions/sign_in_and_out'
import Device from '#identity/models/device'
import { assertAccessible } from '#tests/support/accessibility'
import {
  takeScreenshots,
  waitForHydration,
  visit,
  signInThroughPage,
  openDashboardAs,
} from '#tests/support/browser'
import { makeCustomer, testPassword } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Back button and sign-out', () => {
  test('after a sign-out, Back shows no page of the account', async ({ assert }) => {
    const person = await makeCustomer({ name: 'Harbour Master Unseen' })
    const page = await openDashboardAs(person)
    await visit(page, '/profile')
    await page.getByText(person.email).first().waitFor()
    await page.getByRole('link', { name: 'Dashboard', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await page.getByRole('button', { name: /Harbour Master Unseen/ }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.getByRole('heading', { name: 'Login' }).waitFor()
    for (let step = 0; step < 3; step++) {
      await page.goBack()
      // Every page for signed-out visitors has this link.
      await page.getByRole('link', { name: 'Login', exact: true }).first().waitFor()
      await waitForHydration(page)
      const shown = await page.content()
      assert.notInclude(shown, person.email)
      assert.notInclude(shown, 'Harbour Master Unseen')
    }
  })

  test('after a sign-out on all devices, the open page asks for a sign-in and keeps the entered text', async ({
    assert,
  }) => {
    const person = await makeCustomer({ name: 'Harbour Master Elsewhere' })
    const page = await openDashboardAs(person)
    // Waits until this page opens its event stream. The dashboard's stream may also open late, and does not count.
    const waitForStream = () =>
      page.waitForResponse(
        (answer) =>
          new URL(answer.url()).pathname === '/changes' &&
          new URL(page.url()).pathname === '/profile'
      )
    const stream = waitForStream()
    await visit(page, '/profile')
    await stream
    const name = page.getByRole('textbox', { name: /^Name/ })
    await name.fill('Not saved yet')
    await signOutEverywhere(person.id)

    const dialog = page.getByRole('dialog', { name: 'You were signed out' })
    await dialog.waitFor()
    await assertAccessible(page, 'signed-out')
    await takeScreenshots(page, 'signed-out', false)
    await page.keyboard.press('Escape')
    let requests = 0
    page.on('request', (request) => {
      // Requests to `/find` do not count, because they only check who is signed in.
      if (new URL(request.url()).pathname !== '/find') requests++
    })
    await page.waitForTimeout(2_500)
    assert.equal(requests, 0)

    // Signs in in another tab of the same browser, which then shows the same page.
    const opened = page.context().waitForEvent('page')
    await dialog.getByRole('link', { name: 'Sign in in a new tab' }).click()
    const other = await opened
    await waitForHydration(other)
    await other.getByLabel('Email').fill(person.email)
    await other.getByRole('textbox', { name: 'Password' }).fill(testPassword)
    await other.getByRole('button', { name: 'Login' }).click()
    await other.waitForURL('**/profile')
    const newStream = waitForStream()
    const reload = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/profile')
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await dialog.waitFor({ state: 'hidden' })
    await Promise.all([newStream, reload])
    assert.equal(await name.inputValue(), 'Not saved yet')
    assert.equal(new URL(page.url()).pathname, '/profile')

    // The page also stays if the first request after the sign-out is a submitted form. Signs out by deleting the row,
    // so that no event tells the page about it. Cleared cookies could come back with the response to an earlier
    // request.
    await Device.query().where('personId', person.id).delete()
    await name.fill('Still not saved')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await dialog.waitFor()
    assert.equal(await name.inputValue(), 'Still not saved')

    // Another person signs in, and the page is replaced by that person's own page.
    const stranger = await makeCustomer()
    await signInThroughPage(other, stranger)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await page.getByText(stranger.email).first().waitFor()
    assert.notInclude(await page.content(), person.email)
  })
})
