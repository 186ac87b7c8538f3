import { actorOf } from '#identity/public'
import { orderInstance } from '#instances/actions/order_instance'
import { checkHost } from '#hosts/check_host'
import type { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { ServerPackage } from '#catalog/public'
import { runSteps } from '#core/operations/runner'
import { FakeIncus } from '#packages/incus/fake'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  signInThroughPage,
  waitForToast,
  visit,
  openPageAs,
  searchList,
  signInByRequest,
} from '#tests/support/browser'
import {
  createFakeHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const NAME_MISMATCH_MESSAGE =
  'Instance name does not match. Please type the correct instance name to confirm.'

test.group('Instance management by staff', (group) => {
  const stops: (() => Promise<unknown>)[] = []
  let host: HostInstance

  group.setup(async () => {
    stops.push(await disableOtherHosts())
    const fake = await FakeIncus.start()
    stops.push(() => fake.stop())
    // Adds a second address to the host, which the update form then offers.
    fake.state.networks.set('uplink', {
      name: 'uplink',
      description: '',
      type: 'physical',
      managed: false,
      status: '',
      config: { 'ipv4.address': '203.0.113.77/24' },
      used_by: [],
    })
    host = await createFakeHost(fake)
    stops.push(async () => {
      await ServerInstance.query().where('hostInstanceId', host.id).update({ status: 'deleted' })
      await retireHosts(host)
    })
    stops.push(await startWorker())
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('staff update an instance, suspend it with a reason that the customer reads, and resume it', async () => {
    const customer = await makeCustomer()
    const option = await createSmallPackage('shared')
    const bigger = await createSmallPackage('shared', { memoryMb: 512, diskGb: 2 })
    const { instance, operation } = await orderInstance(await actorOf(customer), {
      name: uniqueName('moored'),
      instanceType: 'shared',
      serverPackageId: option.id,
      billingPeriod: 'month',
    })
    await runSteps(operation.id)
    const { page: staff } = await openBrowser()
    const { page } = await openBrowser()
    try {
      await signInByRequest(staff, await makeStaff('administrator'))
      await signInByRequest(page, customer)
      await visit(staff, '/admin/server-instance/list')
      await searchList(staff, instance.name)
      await takeScreenshot(staff, 'admin-instance-list')
      await staff.getByRole('link', { name: `View Details of ${instance.name}` }).click()
      await staff.getByRole('heading', { name: instance.name, level: 1 }).waitFor()
      await takeScreenshots(staff, 'admin-instance-details')

      await update(staff, instance, bigger)
      await setDomains(staff, instance, `${instance.name}.example.test`)
      await suspend(staff, instance)

      await visit(page, `/server-instance/${instance.id}`)
      await page.getByText('Suspended', { exact: true }).waitFor()
      await page.getByText('The bill of October is unpaid').waitFor()
      const start = page.getByRole('button', { name: 'Start', exact: true })
      assert.equal(await start.getAttribute('aria-description'), 'The instance is suspended.')
      await takeScreenshots(page, 'instance-suspended')
      await visit(page, '/server-instance/list')
      await page.getByRole('article', { name: instance.name }).waitFor()
      const manage = page.getByRole('link', { name: `Manage ${instance.name}` })
      assert.equal(await manage.count(), 0)

      await staff.getByRole('button', { name: 'Resume' }).click()
      const dialog = staff.getByRole('dialog', { name: `Resume ${instance.name}` })
      await dialog.getByLabel(/to confirm/).fill(instance.name)
      await dialog.getByRole('button', { name: 'Resume instance' }).click()
      await staff.getByRole('button', { name: 'Suspend', exact: true }).waitFor()
      await page.reload()
      await manage.click()
      await page.getByRole('button', { name: 'Stop', exact: true, disabled: false }).waitFor()
      await readThatHostIsSilent(host, page, staff)
    } finally {
      for (const one of [option, bigger]) await one.merge({ offered: false }).save()
    }
  })

  test('customers cannot order while every host is in maintenance', async () => {
    const page = await openPageAs(await makeStaff('administrator'))
    const shop = await openPageAs(await makeCustomer())
    await visit(page, `/admin/host-instance/${host.id}`)
    await page.getByRole('button', { name: 'Start maintenance' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start maintenance' }).click()
    await page.getByRole('button', { name: 'End maintenance' }).waitFor()
    await visit(shop, '/server-instance/list')
    const create = shop.getByRole('button', { name: 'Create New Instance' }).first()
    assert.equal(
      await create.getAttribute('aria-description'),
      'No host accepts new instances right now. Nothing was ordered. Try again later.'
    )
    await page.getByRole('button', { name: 'End maintenance' }).click()
    await page.getByRole('button', { name: 'Start maintenance' }).waitFor()
    await visit(shop, '/server-instance/list')
    await create.click()
    await shop.getByRole('dialog', { name: 'Create New Instance' }).waitFor()
  })

  test('staff add a package, price it and withdraw it, and the order form follows', async () => {
    const name = uniqueName('Harbour')
    const { page } = await openBrowser()
    const { page: shop } = await openBrowser()
    try {
      await signInByRequest(page, await makeStaff('administrator'))
      await signInThroughPage(shop, await makeCustomer())
      await visit(page, '/admin/server-package/list')
      // Takes only the visible part, because the list also contains packages of other tests.
      await takeScreenshot(page, 'package-list', false)
      await page.getByRole('button', { name: 'Add Package' }).click()
      const form = page.getByRole('dialog', { name: 'Add Package' })
      await form.getByLabel('Name').fill(name)
      await form.getByLabel('Server series').selectOption('gold')
      await form.getByLabel('vCPU').fill('2')
      await form.getByRole('textbox', { name: 'RAM' }).fill('1')
      await form.getByLabel('Price per month (dollars)').fill('4.25')
      await takeScreenshot(page, 'package-form', false)
      await form.getByRole('button', { name: 'Add package' }).click()
      await form.waitFor({ state: 'hidden' })
      await offered(shop, name, /৳520\.63/)

      // The list has a fixed order, so a new package may be on a later page.
      await searchList(page, name)
      await page.getByRole('button', { name: `Edit ${name}` }).click()
      const edit = page.getByRole('dialog', { name: `Edit ${name}` })
      const renewal = edit.getByLabel('Renewal per month (dollars)')
      assert.equal(await renewal.inputValue(), '')
      assert.equal(await renewal.getAttribute('placeholder'), 'Same as the price')
      await edit.getByLabel('Price per month (dollars)').fill('-1')
      await edit.getByRole('button', { name: 'Save' }).click()
      await edit.getByText('Enter dollars such as 4.50').first().waitFor()
      await edit.getByLabel('Price per month (dollars)').fill('8')
      await edit.getByRole('button', { name: 'Save' }).click()
      await edit.waitFor({ state: 'hidden' })
      await offered(shop, name, /৳980\.00/)
      const [month] = (await ServerPackage.findByOrFail('name', name)).pricing
      assert.deepEqual([month.price, month.renew], ['8', '8'])

      await page.getByRole('button', { name: `Edit ${name}` }).click()
      await edit.getByLabel('Can be ordered').uncheck()
      await edit.getByRole('button', { name: 'Save' }).click()
      await edit.waitFor({ state: 'hidden' })
      await offered(shop, name, null)
    } finally {
      await ServerPackage.query().where('name', name).update({ offered: false })
    }
  })
})

/**
 * Makes the host unreachable. Checks that the customer and staff see this, and that the customer's actions are
 * disabled.
 */
async function readThatHostIsSilent(host: HostInstance, page: Page, staff: Page) {
  assert.equal(await checkHost(await host.refresh()), 'active')
  const { incusUrl } = host
  await host.merge({ incusUrl: 'unix:/nowhere/at.all' }).save()
  try {
    assert.equal(await checkHost(host), 'offline')
    await page.reload()
    await page.getByText(/has not responded since .* We are working on it/).waitFor()
    const stop = page.getByRole('button', { name: 'Stop', exact: true })
    assert.ok(await stop.isDisabled())
    assert.ok(await page.getByRole('button', { name: 'Enable Boost' }).isDisabled())
    await takeScreenshots(page, 'instance-host-silent')
    await visit(staff, `/admin/host-instance/${host.id}`)
    await staff.getByText('Offline', { exact: true }).first().waitFor()
    await takeScreenshots(staff, 'host-silent')
  } finally {
    await host.merge({ incusUrl }).save()
    await checkHost(host)
  }
}

/** Changes the package and the IP address in the update form, and checks that the page shows both. */
async function update(page: Page, instance: ServerInstance, bigger: ServerPackage) {
  await page.getByRole('button', { name: 'Update', exact: true }).click()
  const form = page.getByRole('dialog', { name: `Update ${instance.name}` })
  await form.getByLabel('Package').selectOption(String(bigger.id))
  await form.getByLabel('IP', { exact: true }).fill('203.0.113.77')
  await form.getByRole('button', { name: 'Update' }).click()
  await form.getByRole('alert').filter({ hasText: NAME_MISMATCH_MESSAGE }).waitFor()
  await form.getByLabel(/to confirm/).fill(instance.name)
  await form.getByRole('button', { name: 'Update' }).click()
  await form.waitFor({ state: 'hidden' })
  await page.getByText('203.0.113.77').first().waitFor()
  await page.getByRole('tabpanel').getByText('512 MB').waitFor()
}

async function setDomains(page: Page, instance: ServerInstance, domain: string) {
  await page.getByRole('tab', { name: 'Domains' }).click()
  await page.getByRole('button', { name: 'Edit Domains' }).click()
  const form = page.getByRole('dialog', { name: 'Edit Domains' })
  await form.getByLabel('Domains').fill(domain)
  await form.getByLabel(/to confirm/).fill(`${instance.name}x`)
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').filter({ hasText: NAME_MISMATCH_MESSAGE }).waitFor()
  await takeScreenshot(page, 'admin-instance-domains')
  await form.getByLabel(/to confirm/).fill(instance.name)
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'hidden' })
  await page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: domain }).waitFor()
}

async function suspend(page: Page, instance: ServerInstance) {
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Suspend ${instance.name}` })
  await dialog.getByLabel('Reason').fill('The bill of October is unpaid')
  await dialog.getByLabel(/to confirm/).fill('another')
  await dialog.getByRole('button', { name: 'Suspend instance' }).click()
  await dialog.getByRole('alert').filter({ hasText: NAME_MISMATCH_MESSAGE }).waitFor()
  await dialog.getByLabel(/to confirm/).fill(instance.name)
  await dialog.getByRole('button', { name: 'Suspend instance' }).click()
  await waitForToast(page, `${instance.name} is suspended.`)
  await page.getByRole('button', { name: 'Resume', disabled: false }).waitFor()
}

/** Checks the price at which the order form offers a package; `null` if it must not offer it. */
async function offered(page: Page, name: string, price: RegExp | null) {
  await visit(page, '/server-instance/list')
  await page.getByRole('button', { name: 'Create New Instance' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create New Instance' })
  await form.getByRole('radio', { name: 'Gold', exact: true }).check()
  const choice = form.locator('label').filter({ hasText: name })
  if (price) await choice.getByText(price).waitFor()
  else assert.equal(await choice.count(), 0)
}
