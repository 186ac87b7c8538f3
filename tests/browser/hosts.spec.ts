import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { openIncusClient } from '#hosts/incus_connections'
import {
  takeScreenshot,
  visit,
  openPageAs,
  searchList,
  openDashboardAs,
} from '#tests/support/browser'
import { createSmallPackage, uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const NAME_MISMATCH_MESSAGE =
  'Instance name does not match. Please type the correct instance name to confirm.'
const ADMINISTRATORS_ONLY_PATTERN = /^Only administrators can /

async function recordedOn(host: HostInstance): Promise<ServerInstance> {
  const option = await createSmallPackage('regular')
  await option.merge({ offered: false }).save()
  const name = uniqueName('moored')
  const incus = openIncusClient(host)
  const devices = { 'port-ssh': { type: 'proxy', listen: 'tcp:127.0.0.1:20001' } }
  await (await incus.instances.create({ name, image: 'berth-base', devices })).wait()
  await incus.close()
  return ServerInstance.create({
    accountId: (await makeCustomer()).id,
    hostInstanceId: host.id,
    serverPackageId: option.id,
    name,
    systemId: name,
    instanceType: 'regular',
    status: 'stopped',
    billingPeriod: 'month',
    ip: '203.0.113.9',
    ports: { ssh: 20_001 },
    boostMode: false,
  })
}

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

test.group('Host pages for staff', (group) => {
  let host: HostInstance

  group.each.setup(async () => {
    const started = await startFakeHost()
    host = started.host
    return started.stop
  })

  test('hosts are listed, found by the start of their name, and put into maintenance and back', async () => {
    const page = await openPageAs(await makeStaff('administrator'))
    await visit(page, '/admin/host-instance/list')
    await page.getByRole('heading', { name: 'Host Instance List', level: 1 }).waitFor()
    const search = page.getByLabel('Search by name')
    await search.fill(host.name.slice(1))
    await page.getByText('-- Empty --').waitFor()
    await search.fill(host.name)
    await card(page, host.name).waitFor()
    await takeScreenshot(page, 'host-list')

    await page.getByRole('link', { name: `Manage ${host.name}` }).click()
    await page.getByRole('heading', { name: host.name, level: 1 }).waitFor()
    const tabs = await page.getByRole('tab').allInnerTexts()
    assert.deepEqual(
      tabs.map((text) => text.replace(/\s*\d+$/u, '')),
      ['Metrics', 'Terminal', 'Information', 'Server Instances']
    )
    assert.equal(
      await page.getByRole('tab', { name: 'Metrics' }).getAttribute('aria-selected'),
      'true'
    )
    await page.getByText('No measurements in').waitFor()
    await page.getByRole('tab', { name: 'Server Instances' }).click()
    await page.getByText('-- No Server Instances --').waitFor()

    await page.getByRole('button', { name: 'Start maintenance' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start maintenance' }).click()
    await page.getByRole('button', { name: 'End maintenance' }).waitFor()
    await visit(page, '/admin/host-instance/list')
    await searchList(page, host.name)
    await card(page, host.name).getByText('Maintenance', { exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: `Manage ${host.name}` }).count(), 0)
    await card(page, host.name).getByRole('button', { name: 'End maintenance' }).click()
    await page.getByRole('link', { name: `Manage ${host.name}` }).waitFor()
  })

  test('a host’s page lists its instances, and changing one requires its typed name', async () => {
    const instance = await recordedOn(host)
    const page = await openPageAs(await makeStaff('administrator'))
    await visit(page, `/admin/host-instance/${host.id}?tab=servers`)
    const row = page.getByRole('row').filter({ hasText: instance.name })
    for (const text of ['203.0.113.9', 'Stopped', 'ssh 20001']) {
      await row.getByText(text).waitFor()
    }
    await takeScreenshot(page, 'host-servers')
    await row.getByRole('link', { name: /View Details/ }).click()
    await page.getByRole('heading', { name: instance.name, level: 1 }).waitFor()
    for (const tab of ['Details', 'Metrics', 'Domains']) {
      await page.getByRole('tab', { name: tab }).waitFor()
    }

    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const form = page.getByRole('dialog', { name: `Update ${instance.name}` })
    await form.getByLabel('IP', { exact: true }).fill('203.0.113.77')
    await form.getByLabel(/to confirm/).fill(`${instance.name}x`)
    await form.getByRole('button', { name: 'Update' }).click()
    await form.getByRole('alert').filter({ hasText: NAME_MISMATCH_MESSAGE }).waitFor()
    await takeScreenshot(page, 'instance-update')
    await form.getByLabel(/to confirm/).fill(instance.name)
    await form.getByRole('button', { name: 'Update' }).click()
    await form.getByText(`The host ${host.name}`).first().waitFor()
    await form.getByLabel('IP', { exact: true }).fill(host.ip)
    await form.getByRole('button', { name: 'Update' }).click()
    await form.waitFor({ state: 'hidden' })
    await page.getByText(host.ip, { exact: true }).first().waitFor()
  })

  test('charts stay within the page when their last label is a full hour', async () => {
    const page = await openPageAs(await makeStaff('administrator'))
    const midnight = Date.parse('2026-11-25T18:00:00Z') / 1000
    const names = 'cpu load memory_used memory_total disk_used disk_total disk_read disk_written'
    const values = Array.from({ length: 60 }, () => 1)
    const series = [...names.split(' '), 'network_in', 'network_out'].map((name) => [name, values])
    const metrics = {
      range: '1h',
      from: midnight - 59 * 60,
      point: 60,
      count: 60,
      series: Object.fromEntries(series),
    }
    await page.route(`**/admin/host-instance/${host.id}/metrics*`, (route) =>
      route.fulfill({ json: { success: true, message: '', data: { metrics } } })
    )
    for (const width of [768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await visit(page, `/admin/host-instance/${host.id}`)
      await page.getByText('12:00 AM').first().waitFor({ state: 'attached' })
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)
    }
  })

  test('support staff cannot change hosts, and every button shows the reason', async () => {
    const instance = await recordedOn(host)
    const page = await openDashboardAs(await makeStaff('support'))
    const hasReason = async (name: string) => {
      const button = page.getByRole('button', { name, exact: true })
      assert.match(
        (await button.getAttribute('aria-description')) ?? '',
        ADMINISTRATORS_ONLY_PATTERN
      )
    }
    await visit(page, `/admin/host-instance/${host.id}?tab=terminal`)
    for (const button of ['Check now', 'Start maintenance', 'Remove']) {
      await hasReason(button)
    }
    await page.getByRole('tabpanel').getByText(ADMINISTRATORS_ONLY_PATTERN).waitFor()
    await visit(page, `/admin/server-instance/${instance.id}`)
    for (const button of ['Update', 'Suspend']) await hasReason(button)
    await page.getByRole('button', { name: /^More for / }).click()
    for (const name of ['Start', 'Stop', 'Restart', 'Delete']) {
      const item = page.getByRole('menuitem', { name: new RegExp(`^${name}`) })
      assert.match((await item.getAttribute('aria-description')) ?? '', ADMINISTRATORS_ONLY_PATTERN)
    }
  })
})
