import { makeInstance, makeProject } from '#projects/tests/fixtures'
import {
  openBrowser,
  takeScreenshots,
  signInThroughPage,
  waitForToast,
  visit,
  openDashboardAs,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const LONG_PROJECT_NAME = 'a project with a name that is much longer than its column'

/** Creates a customer with so many projects that the list has more than one page. */
async function crowd() {
  const customer = await makeCustomer({ name: 'Augusta Ada King, Countess of Lovelace the Second' })
  const instance = await makeInstance(customer, { name: uniqueName('web') })
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      makeProject(instance, {
        name: `${index === 59 ? LONG_PROJECT_NAME : 'site'} ${String(index).padStart(2, '0')}`,
        status: index % 10 === 0 ? 'inactive' : 'active',
      })
    )
  )
  return { customer, instance }
}

const status = (page: Page) => page.getByRole('status').filter({ hasText: /^Showing/ })
const shows = (page: Page, words: string) =>
  status(page).getByText(words, { exact: true }).waitFor()
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

/** Returns the query strings of all requests to a path from now on. The array grows with each request. */
function asked(page: Page, path: string): string[] {
  const found: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === path) found.push(search)
  })
  return found
}

test.group('Lists', () => {
  test('Back undoes each page, filter and sort, and each area saves its own state', async () => {
    const { customer } = await crowd()
    const page = await openDashboardAs(customer)
    await page.getByRole('link', { name: 'Projects / Sites' }).first().click()
    await shows(page, 'Showing 1 to 50 of 60 records')
    await takeScreenshots(page, 'list-projects', false)

    await page.getByRole('button', { name: 'Page 2' }).click()
    await shows(page, 'Showing 51 to 60 of 60 records')
    await page.getByRole('button', { name: /^Inactive/ }).click()
    await shows(page, 'Showing 1 to 6 of 6 records')
    await page.getByRole('columnheader', { name: /^Name/ }).getByRole('button').click()
    await page.locator('th[aria-sort="ascending"]').waitFor()
    await page.getByLabel(/^Search by name/).pressSequentially('site 5')
    await shows(page, 'Showing 1 to 1 of 1 records')

    await page.goBack()
    await shows(page, 'Showing 1 to 6 of 6 records')
    const search = page.getByLabel(/^Search by name/)
    await eventually(async () => assert.equal(await search.inputValue(), ''))
    await page.locator('th[aria-sort="ascending"]').waitFor()
    await page.goBack()
    await page.locator('th[aria-sort="ascending"]').waitFor({ state: 'detached' })
    await shows(page, 'Showing 1 to 6 of 6 records')
    await page.goBack()
    await shows(page, 'Showing 51 to 60 of 60 records')
    await page.goBack()
    await shows(page, 'Showing 1 to 50 of 60 records')
    await page.goBack()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await page.goForward()
    await shows(page, 'Showing 1 to 50 of 60 records')
    await page.goForward()
    await shows(page, 'Showing 51 to 60 of 60 records')

    // The list opens with the page and filters of the last visit. Staff who sign in in the same tab have a separate
    // state.
    await page.getByRole('link', { name: 'Dashboard' }).first().click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Projects / Sites' }).first().click()
    await shows(page, 'Showing 51 to 60 of 60 records')
    await signInThroughPage(page, await makeStaff('support'))
    await visit(page, '/admin/project/list')
    await status(page)
      .getByText(/^Showing 1 to /)
      .waitFor()
    await page.getByLabel(/^Search by name/).fill(customer.email)
    await shows(page, 'Showing 1 to 50 of 60 records')
    await row(page, LONG_PROJECT_NAME).getByText(customer.name).waitFor()
    await takeScreenshots(page, 'list-admin-projects', false)
  }).timeout(1_200_000)

  test('a change in another browser appears in a list without polling', async () => {
    const { customer, instance } = await crowd()
    const [home, desk] = [await openBrowser(), await openBrowser()]
    const { page } = home
    await signInThroughPage(page, customer)
    // Leaves the dashboard, so that its pending requests are not counted.
    await page.goto('about:blank')
    const streams = asked(page, '/changes')
    const works = asked(page, '/operations/running')
    await visit(page, '/project/list?search=site+0')
    await shows(page, 'Showing 1 to 10 of 10 records')
    const lists = asked(page, '/project/list')

    await signInThroughPage(desk.page, customer)
    await visit(desk.page, '/project/list?search=site+0')
    for (const [name, from, to] of [
      ['site 03', 'Active', 'Inactive'],
      ['site 04', 'Active', 'Inactive'],
    ] as const) {
      const badge = row(page, name).getByRole('button', { name: `Status of ${name}: ${from}` })
      await badge.waitFor()
      await desk.page.getByLabel(`Status of ${name}`).click()
      await desk.page.getByRole('menuitem', { name: to }).click()
      await waitForToast(desk.page, 'Project status changed.')
      await row(page, name)
        .getByRole('button', { name: `Status of ${name}: ${to}` })
        .waitFor()
    }
    await page.getByRole('button', { name: /^Inactive\s*3$/ }).waitFor()
    assert.deepEqual([streams.length, works.length], [1, 1])
    assert.ok(lists.length >= 1 && lists.length <= 4, `asked ${lists.length} times`)

    const before = lists.length
    // When a project is created, the list removes its filter and search, so that it shows the project.
    await page.getByRole('button', { name: /^Deleted/ }).click()
    await page.getByText('No results').waitFor()
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    await form.getByLabel('Server Instance').selectOption({ label: `${instance.name} · 192.0.2.7` })
    await form.getByLabel('App Stack').selectOption('static')
    const name = uniqueName('Made just now')
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Path').fill(uniqueName('made'))
    await form.getByRole('button', { name: 'Create project' }).click()
    await row(page, name).waitFor()
    await shows(page, 'Showing 1 to 50 of 61 records')
    assert.ok(lists.length - before <= 6, `asked ${lists.length - before} times`)
  }).timeout(1_200_000)
})
