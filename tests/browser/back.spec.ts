import { waitForHydration, visit, openPageAs } from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Back', () => {
  test('signed out, Back shows nothing of the account', async ({ assert }) => {
    const person = await makeCustomer({ name: 'Harbour Master Unseen' })
    const page = await openPageAs(person)
    await visit(page, '/profile')
    await page.getByText(person.email).first().waitFor()
    await page.getByRole('link', { name: 'Dashboard', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await page.getByRole('button', { name: /Harbour Master Unseen/ }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.getByRole('heading', { name: 'Login' }).waitFor()
    for (let step = 0; step < 3; step++) {
      await page.goBack()
      // Every signed-out page has this link.
      await page.getByRole('link', { name: 'Login', exact: true }).first().waitFor()
      await waitForHydration(page)
      const shown = await page.content()
      assert.notInclude(shown, person.email)
      assert.notInclude(shown, 'Harbour Master Unseen')
    }
  })
})
