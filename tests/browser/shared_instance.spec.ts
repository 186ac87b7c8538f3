import { registerLocalHost } from '#hosts/actions/register_local_host'
import { serveDomains } from '#edge/serve_domains'
import { edgeSettings } from '#edge/settings'
import { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  waitForToast,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { updateEdge, pointDnsToThisHost, fetchSite } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { serveTextSite } from '#tests/support/site_machine'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const reason = !process.env.INCUS_SOCKET
  ? 'needs an Incus: set INCUS_SOCKET'
  : !edgeSettings()
    ? 'needs a Caddy: set EDGE_ADMIN'
    : ''
/** Operations on a real instance take seconds, but minutes on a busy machine. */
const MACHINE_TIMEOUT_MS = 480_000

test.group('Shared instance', (group) => {
  const stops: (() => Promise<unknown>)[] = []

  group.setup(async () => {
    if (reason) return
    stops.push(await disableOtherHosts())
    const { host } = await registerLocalHost()
    await host.merge({ status: 'active' }).save()
    stops.push(await startWorker())
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('is ordered after a warning and serves its domains over TLS until they are removed', async () => {
    const customer = await makeCustomer()
    const option = await createSmallPackage('shared')
    const name = uniqueName('site')
    const [shop, blog] = [
      `${uniqueName('shop')}.example.test`,
      `${uniqueName('blog')}.example.test`,
    ]
    const words = uniqueName('fresh fish')
    const { page } = await openBrowser()
    try {
      await signInByRequest(page, customer)
      await order(page, name, option.name)
      await page
        .getByRole('link', { name: `Manage ${name}` })
        .click({ timeout: MACHINE_TIMEOUT_MS })
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      const instance = await ServerInstance.findByOrFail({ accountId: customer.id, name })
      assert.deepEqual(instance.ports, {}, 'a shared instance has no port of its own')
      const machine = await connectToActiveInstance(instance)
      for (const domain of [shop, blog]) await serveTextSite(machine, domain, words)

      await pointDnsToThisHost(shop, blog)
      await addDomains(page, [shop, blog])
      await Promise.all([shop, blog].map((domain) => isServed(domain, words)))
      // The page updates without a reload.
      for (const domain of [shop, blog]) {
        await updateEdge(domain)
        await row(page, domain).getByText('Active', { exact: true }).waitFor()
      }
      await takeScreenshots(page, 'domain-list')

      await removeDomain(page, blog)
      await isGone(blog)
      await isServed(shop, words)

      await remove(page, name)
      await eventually(async () => {
        await instance.refresh()
        assert.equal(instance.status, 'deleted')
      }, MACHINE_TIMEOUT_MS)
      await isGone(shop)
    } finally {
      await option.merge({ offered: false }).save()
    }
  })
    .skip(reason !== '', reason)
    .timeout(2 * MACHINE_TIMEOUT_MS)
})

const row = (page: Page, domain: string) =>
  page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: domain })

async function order(page: Page, name: string, option: string) {
  await visit(page, '/server-instance/list')
  await page.getByRole('button', { name: 'Create New Instance' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create New Instance' })
  await form.getByLabel('Name').fill(name)
  const warning = form.getByText('Do not install a database server on a shared instance')
  assert.equal(await warning.count(), 0)
  await form.getByRole('radio', { name: /^Shared/ }).check()
  await warning.waitFor()
  await form.getByRole('radio', { name: option }).check()
  await takeScreenshot(page, 'instance-order-shared')
  await form.getByRole('button', { name: 'Create instance' }).click()
  await form.waitFor({ state: 'hidden' })
  const section = page.getByRole('region', { name: 'Shared' })
  await section.getByRole('article', { name }).waitFor()
}

async function addDomains(page: Page, domains: string[]) {
  await page.getByRole('tab', { name: 'Domain List' }).click()
  const prompt = page.getByRole('dialog', { name: 'Add Domain' })
  for (const domain of ['', ...domains]) {
    await page.getByRole('button', { name: 'Add Domain' }).click()
    await prompt.getByLabel('Subdomain').fill(domain)
    await prompt.getByRole('button', { name: 'Add', exact: true }).click()
    await prompt.waitFor({ state: 'hidden' })
    if (domain) await row(page, domain).getByText('Pending', { exact: true }).waitFor()
    else await page.getByText('No domains yet').waitFor()
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await waitForToast(page, 'Domains saved.')
}

async function removeDomain(page: Page, domain: string) {
  await row(page, domain)
    .getByRole('button', { name: `Delete ${domain}` })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`Sure to delete domain: (${domain})?`).waitFor()
  await dialog.getByRole('button', { name: 'Delete domain' }).click()
  await row(page, domain).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // All changes are saved once the button is disabled.
  await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor()
}

async function remove(page: Page, name: string) {
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Delete ${name}` })
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: 'Delete instance' }).click()
  await page.getByRole('heading', { name: 'Server Instances', level: 1 }).waitFor()
}

/** Runs the worker's domain schedule until the site is served. */
function isServed(domain: string, words: string) {
  return eventually(async () => {
    await serveDomains()
    assert.deepEqual(await fetchSite(domain), { status: 200, text: words })
  })
}

/** Waits until the edge answers 404, or no longer accepts the connection because Caddy has dropped the certificate. */
function isGone(domain: string) {
  return eventually(async () => {
    await serveDomains()
    const { status } = await fetchSite(domain).catch(() => ({ status: 404 }))
    assert.equal(status, 404)
  })
}
