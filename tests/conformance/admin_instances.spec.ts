/// <reference lib="dom" />
import { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { FakeIncus } from '#packages/incus/fake'
import { makeInstance } from '#projects/tests/fixtures'
import { waitForToast, visit, searchList } from '#tests/support/browser'
import { createFakeHost, retireHosts, uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('Hosts and their server instances', (group) => {
  const stage = stageOf(group, () => makeStaff('administrator'))
  let fake: FakeIncus
  let host: HostInstance
  let bare: HostInstance
  let instance: ServerInstance

  group.setup(async () => {
    fake = await FakeIncus.start()
    const sshKey = 'a private key of the host'
    host = await createFakeHost(fake, { provider: 'Somewhere', username: 'root', sshKey })
    bare = await createFakeHost(fake)
    instance = await makeInstance(await makeCustomer(), {
      name: uniqueName('moored'),
      hostInstanceId: host.id,
      instanceType: 'regular',
      status: 'stopped',
      ports: { ssh: 20_001 },
      username: 'berth',
      systemId: uniqueName('b'),
    })
    return async () => {
      await ServerInstance.query().where('hostInstanceId', host.id).update({ status: 'deleted' })
      await retireHosts(host, bare)
      await fake.stop()
    }
  })

  proves(['A2.45', 'A2.46', 'A2.52', 'A2.53', 'A2.54'], async () => {
    const { page } = stage
    await visit(page, `/admin/host-instance/${bare.id}`)
    const tabs = (await page.getByRole('tab').allInnerTexts()).map((one) =>
      one.replace(/\s*\d+$/, '').trim()
    )
    assert.deepEqual(tabs, ['Metrics', 'Terminal', 'Information', 'Server Instances'])
    const metrics = page.getByRole('tab', { name: 'Metrics' })
    assert.equal(await metrics.getAttribute('aria-selected'), 'true')
    await page.getByText('No measurements in').waitFor()
    await page.getByRole('tab', { name: 'Server Instances' }).click()
    await page.getByText('-- No Server Instances --').waitFor()
    await visit(page, `/admin/host-instance/${host.id}?tab=servers`)
    const heads = (await page.getByRole('columnheader').allInnerTexts()).map((one) => one.trim())
    assert.deepEqual(heads, ['Name', 'IP', 'Status', 'Ports', 'Actions'])
    const words = await page.getByRole('row').filter({ hasText: instance.name }).innerText()
    for (const part of [instance.name, '192.0.2.7', 'Stopped', 'ssh 20001', 'View Details']) {
      assert.ok(words.includes(part), `${part}: ${words}`)
    }
    await page.getByRole('link', { name: `View Details of ${instance.name}` }).click()
    await page.waitForURL(`**/admin/server-instance/${instance.id}`)
  })

  proves(['A3.3', 'A3.4', 'A3.5', 'A3.6', 'A7.11'], async () => {
    const answer = await (await signIn(stage.person)).page(`/admin/host-instance/${host.id}`)
    assert.equal(answer.json.component, 'admin/host_instance/details')
    const shown = answer.json.props!.host as Record<string, unknown>
    const { id, name, ip, status, provider, username } = shown
    assert.deepEqual(
      [id, name, ip, status, provider, username],
      [host.id, host.name, host.ip, 'active', 'Somewhere', 'root']
    )
    assert.ok('system_id' in shown)
    const servers = shown.servers as Record<string, unknown>[]
    assert.deepEqual(
      servers.map((one) => one.id),
      [instance.id]
    )
    assert.equal(shown.has_ssh_key, true)
    assert.ok(!answer.text.includes('a private key of the host'))
    const kinds = [
      shown.specifications,
      (
        (await (await signIn(stage.person)).page('/admin/server-instance/list')).json.props!
          .instances as Record<string, unknown>[]
      )[0].specifications,
    ] as Record<string, Record<string, unknown>>[]
    for (const { vcpu, ram } of kinds) assert.ok(vcpu.value && ram.value && ram.unit)
    const { storage, bandwidth } = kinds[1]
    assert.ok(storage.value && storage.unit && storage.type && bandwidth.value && bandwidth.unit)
  })

  proves(['A2.55', 'A2.56', 'A2.59', 'A2.60', 'A8.8'], async () => {
    const { page, context, person } = stage
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit(page, '/admin/server-instance/list')
    await searchList(page, instance.name)
    const card = page.getByRole('article', { name: instance.name, exact: true })
    const words = await card.innerText()
    for (const part of [instance.name, 'Stopped', 'vCPU', 'GB', '192.0.2.7']) {
      assert.ok(words.includes(part), `${part}: ${words}`)
    }
    await card.getByRole('button', { name: 'Copy IP' }).click()
    await waitForToast(page, 'IP Copied!')
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '192.0.2.7')
    const { json } = await (await signIn(person)).page('/admin/server-instance/list')
    const labels = Object.values(json.props!.instanceStatus as Record<string, string>)
    const filters = page.getByRole('group', { name: 'Filter by status' })
    for (const label of labels) {
      await filters.getByRole('button', { name: new RegExp(`^${label}`) }).waitFor()
    }
    await filters.getByRole('button', { name: /^Active/ }).click()
    await card.waitFor({ state: 'detached' })
    await filters.getByRole('button', { name: 'Stopped' }).click()
    const link = card.getByRole('link', { name: `View Details of ${instance.name}` })
    assert.equal(await link.getAttribute('href'), `/admin/server-instance/${instance.id}`)
    await link.click()
    await page.waitForURL(`**/admin/server-instance/${instance.id}`)
  })

  proves(['A1.2', 'A2.57', 'A2.58', 'A7.13', 'A7.14', 'A8.10'], async () => {
    const { page } = stage
    await visit(page, `/admin/server-instance/${instance.id}`)
    for (const tab of ['Details', 'Metrics', 'Domains']) {
      await page.getByRole('tab', { name: tab }).waitFor()
    }
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const form = page.getByRole('dialog', { name: `Update ${instance.name}` })
    await form.getByLabel('IP', { exact: true }).fill('203.0.113.77')
    await form.getByLabel(/to confirm/).fill(instance.name)
    const call = page.waitForRequest('**/admin/server-instance/update')
    await form.getByRole('button', { name: 'Update' }).click()
    const sent = (await call).postDataJSON() as Record<string, unknown>
    assert.deepEqual(
      [sent.id, sent.server_package_id, sent.ip, sent.username, sent.system_id, sent.ports],
      [
        instance.id,
        instance.serverPackageId,
        '203.0.113.77',
        'berth',
        instance.systemId,
        { ssh: 20_001 },
      ]
    )
    // The field reports that the address does not belong to the host.
    await form.getByText(`The host ${host.name}`).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('tab', { name: 'Domains' }).click()
    await page.getByRole('button', { name: 'Edit Domains' }).click()
    const domains = page.getByRole('dialog', { name: 'Edit Domains' })
    const name = `${uniqueName('moored')}.example.com`
    await domains.getByLabel('Domains').fill(name)
    await domains.getByLabel(/to confirm/).fill(instance.name)
    const save = page.waitForRequest('**/admin/server-instance/update')
    await domains.getByRole('button', { name: 'Save' }).click()
    const asked = (await save).postDataJSON() as Record<string, unknown>
    assert.deepEqual([asked.id, asked.domains], [instance.id, [name]])
    await page.getByRole('tabpanel').getByText(name).first().waitFor()
  })

  proves(['A3.7', 'A3.8', 'A7.12'], async () => {
    const { json } = await (
      await signIn(stage.person)
    ).page(`/admin/server-instance/${instance.id}`)
    assert.equal(json.component, 'admin/server_instance/details')
    const shown = json.props!.instance as Record<string, unknown>
    const { id, name, ip, status, ports, server_package_id: offer, username, system_id } = shown
    assert.deepEqual(
      [id, name, ip, status, ports, offer, username, system_id],
      [
        instance.id,
        instance.name,
        '192.0.2.7',
        'stopped',
        { ssh: 20_001 },
        instance.serverPackageId,
        'berth',
        instance.systemId,
      ]
    )
    const domains = shown.domains as unknown[]
    assert.ok(domains.length > 0 && domains.every((one) => typeof one === 'string'))
  })
})
