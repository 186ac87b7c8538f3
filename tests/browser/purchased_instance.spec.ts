import { ServerPackage } from '#catalog/public'
import { ServerInstance } from '#instances/public'
import { takeScreenshots, waitForToast, visit, openPageAs } from '#tests/support/browser'
import { createSmallPackage, uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import type { Page } from 'playwright-core'

const BYTES_PER_GIB = 1024 ** 3

test.group('Purchased instance', (group) => {
  const stops: (() => Promise<unknown>)[] = []
  let sold: ServerPackage

  group.setup(async () => {
    const size = {
      cpuTotal: 8,
      memoryTotal: 64 * BYTES_PER_GIB,
      diskTotal: 400 * BYTES_PER_GIB,
    }
    const { stop } = await startFakeHost({ change: size, alone: true, ssh: true })
    stops.push(stop, await startWorker())
  })
  group.each.setup(async () => {
    sold = await createSmallPackage('shared')
    await sold.merge({ serverSeries: 'gold' }).save()
    return async () => {
      await ServerPackage.query().where('id', sold.id).update({ offered: false })
    }
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('keeps its price and size until a resize, and no order costs more than the shown price', async () => {
    const name = uniqueName('kept')
    const page = await openPageAs(await makeCustomer())
    const staff = await openPageAs(await makeStaff('administrator'))
    await orderWhileItIsEdited(page, name)
    const instance = await ServerInstance.findByOrFail('name', name)

    await visit(page, `/server-instance/${instance.id}?tab=information`)
    const facts = page.getByRole('tabpanel')
    await facts.getByText(`${sold.name} (Gold), version 2`).waitFor()
    await facts.getByText('৳245.00').waitFor()
    await facts.getByText('Renews on').waitFor()
    await facts.getByText('at today’s dollar rate').waitFor()
    await takeScreenshots(page, 'instance-agreed')

    await visit(staff, `/admin/server-package/list?search=${sold.name}`)
    await staff.getByRole('button', { name: `Edit ${sold.name}` }).click()
    const form = staff.getByRole('dialog', { name: `Edit ${sold.name}` })
    await form.getByText('1 instance keeps version 2.').waitFor()
    await takeScreenshots(staff, 'package-kept', false)
    for (const label of ['Price per month (dollars)', 'Renewal per month (dollars)']) {
      await form.getByLabel(label).fill('3')
    }
    await form.getByRole('textbox', { name: 'RAM' }).fill('512')
    await form.getByRole('button', { name: 'Save' }).click()
    await waitForToast(staff, `${sold.name} is saved as version 3. 1 instance keeps version 2.`)
    await staff.getByRole('button', { name: `Version 3 of ${sold.name}` }).click()
    const versions = staff.getByRole('dialog', { name: `Versions of ${sold.name}` })
    const third = versions.getByRole('listitem', { name: 'Version 3' })
    await third.getByText('256 MB → 512 MB').waitFor()
    await versions.getByRole('listitem', { name: 'Version 2' }).getByText('1 instance').waitFor()
    await takeScreenshots(staff, 'package-versions', false)

    await page.reload()
    await facts.getByText(`${sold.name} (Gold), version 2`).waitFor()
    await facts.getByText('256 MB').waitFor()
    await facts.getByText('৳245.00').waitFor()

    await resizeToWhatIsSoldNow(staff, instance)
    await visit(page, `/server-instance/${instance.id}?tab=information`)
    await facts.getByText(`${sold.name} (Gold), version 3`).waitFor()
    await facts.getByText('৳367.50').waitFor()
  })

  async function orderWhileItIsEdited(page: Page, name: string): Promise<void> {
    await visit(page, '/server-instance/list')
    await page.getByRole('button', { name: 'Create New Instance' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create New Instance' })
    await form.getByLabel('Name').fill(name)
    await form.getByRole('radio', { name: /^Shared/ }).check()
    await form.getByRole('radio', { name: 'Gold', exact: true }).check()
    await form.getByRole('radio', { name: new RegExp(`^${sold.name}`) }).check()
    await form.getByRole('status').getByText('৳122.50').waitFor()
    const pricing = sold.pricing.map((one) => ({ ...one, price: '2.00', renew: '2.00' }))
    await sold.merge({ pricing }).save()
    const create = form.getByRole('button', { name: 'Create instance' })
    await create.click()
    const words = `The price has changed: ${sold.name} now costs ৳245.00 per month.`
    await form.getByRole('alert').getByText(words).waitFor()
    await form.getByRole('status').getByText('৳245.00').waitFor()
    await takeScreenshots(page, 'order-price-changed', false)
    await create.click()
    await form.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: `Manage ${name}` }).waitFor()
  }

  async function resizeToWhatIsSoldNow(page: Page, instance: ServerInstance): Promise<void> {
    await visit(page, `/admin/server-instance/${instance.id}`)
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const form = page.getByRole('dialog', { name: `Update ${instance.name}` })
    await form.getByLabel('Package').selectOption(`${sold.id}:3`)
    const rows = form.getByRole('row')
    await rows
      .filter({ hasText: 'RAM' })
      .filter({ hasText: '256 MB' })
      .getByText('512 MB')
      .waitFor()
    await rows.filter({ hasText: 'Price per month' }).getByText('৳367.50').waitFor()
    await takeScreenshots(page, 'instance-resize-compared', false)
    await form.getByLabel(/to confirm/).fill(instance.name)
    await form.getByRole('button', { name: 'Update' }).click()
    await form.waitFor({ state: 'hidden' })
    await page.getByRole('tabpanel').getByText('512 MB').waitFor()
  }
})
