import { openDashboardAs } from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Page with a rendering error', () => {
  test('keeps the menu, and offers to reload the page', async ({ assert }) => {
    const page = await openDashboardAs(await makeCustomer())
    await page.route('**/project/list*', async (route) => {
      if (!route.request().headers()['x-inertia']) return route.continue()
      const response = await route.fetch()
      const answer = (await response.json()) as { props: Record<string, unknown> }
      answer.props.serverInstances = 'malformed'
      await route.fulfill({ response, json: answer })
    })
    await page.evaluate(() => {
      const link = document.querySelector<HTMLAnchorElement>('a[href^="/project/list"]')
      link?.click()
    })
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor()
    await page.getByRole('button', { name: 'Reload page' }).waitFor()
    assert.isTrue(await page.getByRole('navigation', { name: 'Main' }).first().isVisible())
    await page.getByRole('link', { name: 'Dashboard', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  })
})
