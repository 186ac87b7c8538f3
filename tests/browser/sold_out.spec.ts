import type { HostInstance } from '#hosts/public'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const BYTES_PER_GIB = 1024 ** 3

test.group('Sold-out packages', (group) => {
  let host: HostInstance

  group.setup(async () => {
    const started = await startFakeHost({ alone: true })
    host = started.host
    return started.stop
  })

  test('cannot be selected and show the reason; if one sells out meanwhile, the form keeps its input', async () => {
    const { page } = await openBrowser()
    const { page: staff } = await openBrowser()
    const name = uniqueName('web')
    // Resources that are too small for Bronze 2, which needs 1 vCPU, 2 GB of memory and 20 GB of disk.
    const means = {
      cpuTotal: 1,
      memoryTotal: Math.round(1.9 * BYTES_PER_GIB),
      diskTotal: 8 * BYTES_PER_GIB,
    }
    await host.merge(means).save()
    await signInByRequest(page, await makeCustomer())
    const form = await openForm(page)
    assert.ok(await form.getByRole('radio', { name: 'Bronze', exact: true }).isChecked())
    assert.ok(await form.getByRole('radio', { name: /^Bronze Mini/ }).isChecked())
    const larger = form.getByRole('radio', { name: /^Bronze 4/ })
    assert.ok(await larger.isDisabled())
    await form
      .locator('label')
      .filter({ hasText: 'Bronze 4' })
      .getByText('Too large for the host: not enough processors, memory, and disk.')
      .waitFor()
    await takeScreenshots(page, 'order-sold-out')

    await form.getByRole('radio', { name: 'Silver', exact: true }).check()
    await form.getByText('All Silver packages are sold out').waitFor()
    const create = form.getByRole('button', { name: 'Create instance' })
    assert.match((await create.getAttribute('aria-description'))!, /Choose a package/)
    await takeScreenshots(page, 'order-series-full')
    await form.getByRole('button', { name: 'Show Bronze' }).click()
    assert.ok(await form.getByRole('radio', { name: /^Bronze Mini/ }).isChecked())

    // While the form is open, another order takes the last resources.
    await form.getByLabel('Name').fill(name)
    await host.merge({ memoryTotal: Math.round(0.9 * BYTES_PER_GIB) }).save()
    await create.click()
    await form.getByRole('alert').getByText('Not ordered').waitFor()
    await form.getByText(/not enough memory.* Nothing was changed/).waitFor()
    assert.equal(await form.getByLabel('Name').inputValue(), name)
    await form.getByRole('radio', { name: /^Bronze Mini/, disabled: true }).waitFor()
    assert.equal(await form.getByRole('radio', { name: /^Bronze Mini/ }).isChecked(), false)
    await takeScreenshots(page, 'order-lost-race')

    await host.merge({ memoryTotal: Math.round(0.5 * BYTES_PER_GIB) }).save()
    await visit(page, '/server-instance/list')
    const order = page.getByRole('button', { name: 'Create New Instance' }).first()
    assert.match((await order.getAttribute('aria-description'))!, /Every package is sold out/)

    await signInByRequest(staff, await makeStaff('support'))
    await visit(staff, '/admin/host-instance/list')
    const card = staff.getByRole('article', { name: host.name })
    await card.getByText(/^Sold out: Bronze Mini, .*Bronze 1/).waitFor()
    await takeScreenshot(staff, 'host-card-sold-out', false)
    await visit(staff, `/admin/host-instance/${host.id}?tab=information`)
    await staff.getByText('Too large for the host: not enough memory.').first().waitFor()
    await takeScreenshots(staff, 'host-sold-out')
  })
})

async function openForm(page: Page) {
  await visit(page, '/server-instance/list')
  await page.getByRole('button', { name: 'Create New Instance' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create New Instance' })
  await form.waitFor()
  return form
}
