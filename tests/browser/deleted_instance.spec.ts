import { actorOf } from '#identity/public'
import { orderInstance } from '#instances/actions/order_instance'
import { ServerInstance } from '#instances/public'
import { runSteps } from '#core/operations/runner'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, startFakeHost } from '#tests/support/hosts'
import { deleteInstance } from '#tests/support/browser_steps'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

test.group('Page of a deleted instance', (group) => {
  const stops: (() => Promise<unknown>)[] = []

  group.setup(async () => {
    stops.push((await startFakeHost({ alone: true })).stop, await startWorker())
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('is found by a filter of the list, shows when and by whom the instance was deleted, and has no actions', async () => {
    const customer = await makeCustomer()
    const option = await createSmallPackage('shared')
    const [gone, kept] = [uniqueName('gone'), uniqueName('kept')]
    for (const name of [gone, kept]) {
      const { operation } = await orderInstance(await actorOf(customer), {
        name,
        instanceType: 'shared',
        serverPackageId: option.id,
        billingPeriod: 'month',
      })
      await runSteps(operation.id)
    }
    const { id } = await ServerInstance.findByOrFail({ accountId: customer.id, name: gone })
    const { page } = await openBrowser()
    const { page: staff } = await openBrowser()
    try {
      await signInByRequest(page, customer)
      await remove(page, id, gone)
      await visit(page, '/server-instance/list')
      await page.getByRole('article', { name: kept }).waitFor()
      // The list does not show deleted instances, unless the filter "Deleted" is chosen.
      assert.equal(await page.getByRole('article', { name: gone }).count(), 0)
      await page.getByRole('button', { name: /^All Servers\s*1$/ }).waitFor()
      await page.getByRole('button', { name: /^Deleted\s*1$/ }).click()
      await page.getByRole('article', { name: gone }).waitFor()
      await takeScreenshots(page, 'deleted-list')
      await page.getByRole('link', { name: `View Details of ${gone}` }).click()
      await isReadOnly(page, gone, `${customer.name} <${customer.email}>`, [
        'Start',
        'Stop',
        'Restart',
        'Delete',
        'Enable Boost',
      ])
      await takeScreenshots(page, 'deleted-details')

      await signInByRequest(staff, await makeStaff('administrator'))
      await visit(staff, '/admin/server-instance/list')
      await staff.getByLabel('Search by name').fill(gone)
      const card = staff.getByRole('article', { name: gone })
      await card.getByText('Deleted', { exact: true }).waitFor()
      const title = card.getByRole('heading', { name: gone })
      assert.match(
        await title.evaluate((heading) => getComputedStyle(heading).textDecoration),
        /line-through/
      )
      await takeScreenshot(staff, 'admin-deleted-list')
      await card.getByRole('link', { name: `View Details of ${gone}` }).click()
      await isReadOnly(staff, gone, `${customer.name} <${customer.email}>`, ['Update', 'Suspend'])
      await staff.getByRole('button', { name: `More for ${gone}` }).click()
      for (const name of ['Start', 'Stop', 'Restart', 'Delete']) {
        const item = staff.getByRole('menuitem', { name: new RegExp(`^${name}`) })
        assert.equal(await item.getAttribute('aria-description'), 'The instance is deleted.', name)
      }
      await staff.keyboard.press('Escape')
      await takeScreenshots(staff, 'admin-deleted-details')
      await staff.getByRole('tab', { name: 'Domains' }).click()
      await cannot(staff, 'Edit Domains')
    } finally {
      await option.merge({ offered: false }).save()
    }
  })
})

async function remove(page: Page, id: number, name: string) {
  await visit(page, `/server-instance/${id}`)
  await deleteInstance(page, name)
  await eventually(async () => {
    assert.equal((await ServerInstance.findOrFail(id)).status, 'deleted')
  })
}

async function isReadOnly(page: Page, name: string, by: string, actions: string[]) {
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.getByText(new RegExp(`^Deleted .* by ${by.replace(/[+.]/g, '\\$&')}$`)).waitFor()
  const work = page.getByRole('table', { name: 'Operations' })
  await work.getByText(`Deleting ${name}`).waitFor()
  await work.getByText(`Creating ${name}`).waitFor()
  await page
    .getByRole('table', { name: 'Activity' })
    .getByText(`Requested deletion of server instance ${name}`)
    .first()
    .waitFor()
  for (const action of actions) await cannot(page, action)
}

async function cannot(page: Page, action: string) {
  const button = page.getByRole('button', { name: action, exact: true })
  assert.equal(await button.getAttribute('aria-description'), 'The instance is deleted.', action)
}
