import { findPublicEdgeAddress } from '#edge/edge_addresses'
import { serveDomains } from '#edge/serve_domains'
import { edgeSettings } from '#edge/settings'
import { Domain } from '#edge/public'
import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import type Person from '#identity/models/person'
import env from '#start/env'
import {
  takeScreenshot,
  takeScreenshots,
  waitForToast,
  visit,
  openPageAs,
} from '#tests/support/browser'
import { setDnsRecords } from '#tests/support/dns_server'
import { updateEdge, pointDnsToThisHost, fetchSiteOverHttp, fetchSite } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { retireHosts, createSmallPackage, uniqueName } from '#tests/support/hosts'
import { type Pebble, preparePebble } from '#tests/support/pebble'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

const reason = edgeSettings() ? '' : 'needs a Caddy: set EDGE_ADMIN'

/** Uses an ACME server and a DNS server that the tests start. */
test.group('Domain of a project', (group) => {
  const stops: (() => unknown)[] = []
  let pebble: Pebble | undefined
  let customer: Person
  let instance: ServerInstance
  let port: number

  group.setup(async () => {
    if (reason) return
    const { httpPort } = edgeSettings()!
    pebble = await preparePebble({ httpPort, dns: env.get('DNS_SERVERS')! })
    const { directory: EDGE_ACME_URL, roots: EDGE_ACME_ROOTS } = pebble
    stops.push(overrideSettings({ EDGE_ISSUER: 'acme', EDGE_ACME_URL, EDGE_ACME_ROOTS }))
    const site = createServer((_, response) => response.end('fresh fish')).listen(0, '127.0.0.1')
    await once(site, 'listening')
    port = (site.address() as AddressInfo).port
    const host = await HostInstance.create({
      name: uniqueName('host'),
      ip: '127.0.0.1',
      status: 'active',
      provider: 'test',
      isLocal: true,
      incusUrl: 'unix:/nowhere',
      sshPort: 22,
      specifications: {},
    })
    customer = await makeCustomer()
    const { id: serverPackageId } = await createSmallPackage('shared')
    instance = await ServerInstance.create({
      accountId: customer.id,
      serverPackageId,
      hostInstanceId: host.id,
      name: uniqueName('site'),
      instanceType: 'shared',
      billingPeriod: 'month',
      status: 'active',
      ip: '192.0.2.7',
      privateIp: '127.0.0.1',
      ports: {},
    })
    stops.push(
      () => site.close(),
      () => retireHosts(host),
      () => instance.merge({ status: 'deleted' }).save(),
      () => pebble?.remove()
    )
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
    if (!reason) await updateEdge()
  })
  group.each.timeout(600_000)

  const row = (page: Page, name: string) =>
    page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: name })
  /** Runs the worker's domain checks until the domain reaches the expected state. */
  const until = (name: string, is: (domain: Domain) => boolean) =>
    eventually(async () => {
      await Domain.query()
        .where('subdomain', name)
        .update({ checkAt: new Date(0) })
      await serveDomains()
      const domain = await Domain.findByOrFail('subdomain', name)
      assert.ok(is(domain), `${domain.status} at ${domain.step}: ${domain.statusReason}`)
      return domain
    }, 180_000)

  test('shows what is missing until HTTPS works, and when HTTPS stops working', async () => {
    // Removes what a failed first attempt may have left.
    await pebble!.stop()
    await Domain.query().where('serverInstanceId', instance.id).delete()
    const name = `${uniqueName('shop')}.example.com`
    const target = await findPublicEdgeAddress()
    const page = await openPageAs(customer)
    await visit(page, `/server-instance/${instance.id}`)
    await page.getByRole('tab', { name: 'Domain List' }).click()

    // The form rejects an invalid name before it sends a request.
    await page.getByRole('button', { name: 'Add Domain' }).click()
    const prompt = page.getByRole('dialog', { name: 'Add Domain' })
    const add = prompt.getByRole('button', { name: 'Add', exact: true })
    await prompt.getByLabel('Subdomain').fill('https://shop.example.com/')
    await add.click()
    await prompt.getByText('is more than a domain. Leave out https://').waitFor()
    await takeScreenshot(page, 'domain-refused')
    await prompt.getByLabel('Subdomain').fill(` ${name.toUpperCase()}. `)
    await add.click()
    await prompt.waitFor({ state: 'hidden' })
    await row(page, name).getByText('Not saved yet').waitFor()

    setDnsRecords(name, { A: ['198.51.100.7'] })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await waitForToast(page, 'Domains saved.')
    await Domain.query().where('subdomain', name).update({ innerPort: port })
    await until(name, ({ seen }) => seen === '198.51.100.7')
    await row(page, name)
      .getByText(`${name} points to 198.51.100.7 instead of ${target}.`)
      .waitFor()
    await row(page, name).getByText('Pending', { exact: true }).waitFor()
    await row(page, name).getByText(`_berth.${name}`).waitFor()
    assert.equal(
      (await fetchSiteOverHttp(name)).status,
      404,
      'nothing is served before it is proven'
    )
    await takeScreenshots(page, 'domain-pending')

    // DNS points to this host, but the certificate authority cannot be reached. The site is served over HTTP without a
    // redirect.
    await pointDnsToThisHost(name)
    const failed = await until(name, ({ status }) => status === 'failed')
    assert.equal(failed.step, 'certificate')
    assert.deepEqual(await fetchSiteOverHttp(name), {
      status: 200,
      text: 'fresh fish',
      location: undefined,
    })
    await row(page, name).getByText('Failed', { exact: true }).waitFor()
    await row(page, name)
      .getByText(/^No certificate yet: /)
      .waitFor()
    const details = row(page, name).locator('pre')
    assert.equal(await details.isVisible(), false)
    await row(page, name).getByText('Details').click()
    await details.filter({ hasText: '127.0.0.1' }).waitFor()
    await takeScreenshots(page, 'domain-failed')

    await pebble!.start()
    const longAgo = new Date(Date.now() - 120_000)
    await Domain.query()
      .where('subdomain', name)
      .update({ certificateAskedAt: longAgo, checkAt: new Date(Date.now() + 600_000) })
    await page.getByRole('button', { name: `Check again: ${name}` }).click()
    await eventually(async () => {
      const { checkAt } = await Domain.findByOrFail('subdomain', name)
      assert.ok(checkAt.toMillis() <= Date.now(), 'the button has it looked at')
    })
    await until(name, ({ status }) => status === 'active')
    await row(page, name).getByText('Active', { exact: true }).waitFor()
    assert.deepEqual(await fetchSite(name), { status: 200, text: 'fresh fish' })
    await eventually(async () => {
      await serveDomains()
      const { status, location } = await fetchSiteOverHttp(name, '/a?b=c')
      const { httpsPort } = edgeSettings()!
      assert.deepEqual([status, location], [308, `https://${name}:${httpsPort}/a?b=c`])
    })
    await takeScreenshots(page, 'domain-active')

    // DNS points to another host. The third check reports this, and visitors are no longer redirected to HTTPS.
    setDnsRecords(name, { A: ['198.51.100.7'] })
    for (const expected of ['active', 'active', 'failed']) {
      await updateEdge(name)
      assert.equal((await Domain.findByOrFail('subdomain', name)).status, expected)
    }
    await page.reload()
    await row(page, name).getByText(`points to 198.51.100.7 instead of`).waitFor()
    await eventually(async () => {
      await serveDomains()
      assert.equal((await fetchSiteOverHttp(name)).status, 200)
    })
    await pointDnsToThisHost(name)
    await until(name, ({ status }) => status === 'active')
    await row(page, name).getByText('Active', { exact: true }).waitFor()
  }).skip(() => reason !== '', 'needs a Caddy')

  test('support sees why it cannot change the domains', async () => {
    const page = await openPageAs(await makeStaff('support'))
    await visit(page, `/admin/server-instance/${instance.id}?tab=domains`)
    const edit = page.getByRole('button', { name: 'Edit Domains' })
    assert.equal(await edit.getAttribute('aria-disabled'), 'true')
    assert.ok(await edit.getAttribute('aria-description'))
    await takeScreenshot(page, 'domain-support')
  }).skip(() => reason !== '', 'needs a Caddy')
})
