/// <reference lib="dom" />
import { makeInstance } from '#guest/tests/instances'
import type { HostInstance } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { waitForToast, visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const LIST_PATH = '/server-instance/list'

test.group('Server instance list', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let host: HostInstance
  let regular: ServerInstance
  let shared: ServerInstance
  let stopped: ServerInstance

  group.setup(async () => {
    const started = await startFakeHost({ alone: true })
    host = started.host
    const more = { hostInstanceId: host.id }
    const named = (prefix: string) => ({ name: uniqueName(prefix), ...more })
    const ports = { ssh: 20_001 }
    regular = await makeInstance(stage.person, {
      ...named('harbour'),
      instanceType: 'regular',
      ports,
    })
    shared = await makeInstance(stage.person, named('quay'))
    stopped = await makeInstance(stage.person, { ...named('dock'), status: 'stopped' })
    return started.stop
  })
  group.each.setup(() => visit(stage.page, LIST_PATH))
  const card = ({ name }: ServerInstance) => stage.page.getByRole('article', { name, exact: true })

  proves(['C1.2', 'C2.26', 'C2.27', 'C7.32', 'C3.7', 'C3.9'], async () => {
    const { page } = stage
    for (const [title, one] of [
      ['Regular Instances', regular],
      ['Shared Instances', shared],
    ] as const) {
      const section = page.getByRole('region', { name: title })
      await section.getByRole('article', { name: one.name, exact: true }).waitFor()
    }
    const words = await card(regular).innerText()
    for (const part of [regular.name, '192.0.2.7', 'Active', 'vCPU', 'GB']) {
      assert.ok(words.includes(part), `${part} is not on the card: ${words}`)
    }
    const { json } = await (await signIn(stage.person)).page(LIST_PATH)
    const rows = json.props!.instances as Record<string, unknown>[]
    const row = rows.find(({ id }) => id === regular.id)!
    assert.deepEqual(
      [row.name, row.status, row.ip, row.instance_type, row.ports, row.billing_period],
      [regular.name, 'active', '192.0.2.7', 'regular', { ssh: 20_001 }, 'month']
    )
    assert.equal(row.server_package_id, regular.serverPackageId)
  })

  proves(['C2.28', 'C8.8'], async () => {
    const { page, context } = stage
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await card(regular).getByRole('button', { name: 'Copy IP' }).click()
    await waitForToast(page, 'IP Copied!')
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '192.0.2.7')
  })

  proves(['C2.29', 'C4.6'], async () => {
    const { page } = stage
    await card(stopped).waitFor()
    assert.equal(await card(stopped).getByText('Manage', { exact: true }).count(), 0)
    await card(regular)
      .getByRole('link', { name: `Manage ${regular.name}` })
      .click()
    await page.waitForURL(`**/server-instance/${regular.id}`)
  })

  proves(['C2.30', 'C2.31'], async () => {
    const { page } = stage
    const { json } = await (await signIn(stage.person)).page(LIST_PATH)
    const labels = Object.values(json.props!.instanceStatus as Record<string, string>)
    const filters = page.getByRole('group', { name: 'Filter by status' })
    for (const label of [...labels, 'All Servers']) {
      await filters.getByRole('button', { name: label }).waitFor()
    }
    await filters.getByRole('button', { name: 'Stopped' }).click()
    await card(regular).waitFor({ state: 'detached' })
    await card(stopped).waitFor()
    await filters.getByRole('button', { name: 'All Servers' }).click()
    await card(regular).waitFor()
    const search = page.getByRole('textbox', { name: /^Search/ })
    await search.fill(regular.name.slice(0, -2))
    await card(shared).waitFor({ state: 'detached' })
    await card(regular).waitFor()
    await search.fill('')
    await card(shared).waitFor()
  })

  proves(['C2.33', 'C6.2', 'C7.40'], async () => {
    const { page, person } = stage
    await card(shared)
      .getByRole('button', { name: `Set as default: ${shared.name}` })
      .click()
    await card(shared).getByText('Default instance').waitFor()
    await visit(page, LIST_PATH)
    await card(shared).getByText('Default instance').waitFor()
    const { json } = await (await signIn(person)).page(LIST_PATH)
    const user = json.props!.user as Record<string, unknown>
    assert.equal(user.default_instance_id, shared.id)
  })

  proves(
    ['C2.32', 'C3.11', 'C3.12', 'C5.11', 'C7.38', 'C7.39', 'C9.6', 'C9.7', 'C9.8', 'C9.19'],
    async () => {
      const { page, person } = stage
      await page.getByRole('button', { name: 'Create New Instance' }).click()
      const form = page.getByRole('dialog', { name: 'Create New Instance' })
      assert.ok(await form.getByRole('radio', { name: 'Bronze', exact: true }).isChecked())
      assert.deepEqual(
        [
          await form.getByRole('radio', { name: /^Month/ }).count(),
          await form.getByRole('radio', { name: /^Year/ }).count(),
        ],
        [1, 1]
      )
      assert.equal(await form.getByText(/Do not install a database server/).count(), 0)
      await form.getByRole('radio', { name: /^Shared/ }).check()
      await form.getByText('Do not install a database server on a shared instance').waitFor()
      await form.getByRole('radio', { name: /^Regular/ }).check()
      assert.match((await form.getByRole('status').innerText()).replace(/\s/g, ''), /৳[\d,]+\.\d\d/)
      const name = uniqueName('made')
      const input = form.getByLabel('Name')
      await input.fill(`${name.toUpperCase()} _x!`)
      assert.equal(await input.inputValue(), `${name}--x`)
      await input.fill(name)
      const { json } = await (await signIn(person)).page(LIST_PATH)
      const packages = json.props!.packages as Record<string, never>[]
      const { specifications, pricing, ...offer } = packages[0] as unknown as {
        specifications: Record<string, Record<string, unknown>>
        pricing: Record<string, unknown>[]
        [key: string]: unknown
      }
      for (const key of ['id', 'name', 'instance_type', 'server_series']) assert.ok(offer[key], key)
      assert.ok(specifications.vcpu.value)
      for (const key of ['ram', 'storage', 'bandwidth']) {
        assert.ok(specifications[key].value && specifications[key].unit, key)
      }
      assert.ok(specifications.storage.type)
      for (const key of ['period', 'price', 'renew', 'billing_cycle']) {
        assert.ok(key in pricing[0], key)
      }
      const call = page.waitForRequest('**/server-instance/store')
      const reading = page.waitForRequest(
        (one) => one.url().includes(LIST_PATH) && one.headers()['x-inertia'] === 'true'
      )
      await form.getByRole('button', { name: 'Create instance' }).click()
      const sent = (await call).postDataJSON() as Record<string, unknown>
      assert.deepEqual(
        [sent.name, sent.instance_type, sent.billing_period, typeof sent.server_package_id],
        [name, 'regular', 'month', 'number']
      )
      const answer = (await (await (await call).response())!.json()) as Record<string, unknown>
      assert.equal(answer.success, true)
      const answered = Date.now()
      assert.ok((await reading) && Date.now() - answered < 10_000)
      await page.getByRole('article', { name, exact: true }).waitFor()
    }
  )
})

test.group('Server instance detail', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let shared: ServerInstance
  let regular: ServerInstance

  group.setup(async () => {
    shared = await makeInstance(stage.person, { status: 'stopped', boostMode: false })
    regular = await makeInstance(stage.person, {
      instanceType: 'regular',
      status: 'stopped',
      boostMode: true,
    })
  })
  const tabs = async (id: number) => {
    await visit(stage.page, `/server-instance/${id}`)
    const all = await stage.page.getByRole('tab').allInnerTexts()
    return all.map((text) => text.replace(/\s*\d+$/, '').trim())
  }

  proves(['C2.34', 'C2.35', 'C2.36', 'C7.33', 'C3.8'], async () => {
    const { page, person } = stage
    assert.deepEqual((await tabs(regular.id)).slice(0, 3), ['Metrics', 'Terminal', 'Information'])
    assert.ok(!(await tabs(regular.id)).includes('Domain List'))
    await page.getByRole('region', { name: 'Build Mode' }).waitFor()
    assert.ok((await tabs(shared.id)).includes('Domain List'))
    assert.equal(await page.getByRole('region', { name: 'Build Mode' }).count(), 0)
    await regular.merge({ systemId: 'berth-secret-name', sshKey: 'a private key' }).save()
    const visitor = await signIn(person)
    const answer = await visitor.page(`/server-instance/${regular.id}`)
    assert.equal(answer.json.component, 'customer/server_instance/details')
    assert.doesNotMatch(answer.text, /berth-secret-name|a private key/)
    const { system_id: systemId } = answer.json.props!.instance as Record<string, unknown>
    assert.match(String(systemId), /^•+$/)
  })

  proves(['C2.37', 'C2.38', 'C2.39', 'C3.10', 'C4.7', 'C5.21', 'C5.24', 'C7.37'], async () => {
    const { page } = stage
    await shared.merge({ status: 'active' }).save()
    await visit(page, `/server-instance/${shared.id}?tab=domains`)
    const list = page.getByRole('region', { name: 'Domain List' })
    const add = async (text: string) => {
      await list.getByRole('button', { name: 'Add Domain' }).click()
      const prompt = page.getByRole('dialog', { name: 'Add Domain' })
      await prompt.getByLabel('Subdomain').fill(text)
      await prompt.getByRole('button', { name: 'Add', exact: true }).click()
      await prompt.waitFor({ state: 'detached' })
    }
    await add('')
    assert.equal(await list.getByRole('listitem').count(), 0)
    const [one, other] = [`${uniqueName('a')}.example.com`, `${uniqueName('b')}.example.com`]
    await add(one)
    await add(other)
    await list.getByText('Pending').first().waitFor()
    await list.getByRole('button', { name: `Delete ${other}` }).click()
    const ask = page.getByRole('dialog').filter({ hasText: `Sure to delete domain: (${other})?` })
    await ask.getByRole('button', { name: 'Delete domain' }).click()
    await list.getByText(other).waitFor({ state: 'detached' })
    const call = page.waitForRequest('**/server-instance/update')
    await list.getByRole('button', { name: 'Save' }).click()
    assert.deepEqual((await call).postDataJSON(), {
      id: shared.id,
      domains: [{ subdomain: one, status: 'pending' }],
    })
    await visit(page, `/server-instance/${shared.id}?tab=domains`)
    await list.getByText(one).first().waitFor()
    await shared.merge({ status: 'stopped' }).save()
  })

  proves(['C3.13', 'C4.8', 'C4.9', 'C7.34', 'C7.35', 'C9.11'], async () => {
    const { page, person } = stage
    const visitor = await signIn(person)
    const row = ServerInstance.query().where('id', regular.id)
    await row.clone().update({ boosted_until: null, boost_available_at: null })
    const info = `/server-instance/boost/info?server_instance_id=${regular.id}`
    const timers = (await visitor.get(info)).json.data!
    assert.deepEqual([timers.boostTimer, timers.boostDelay], [0, 0])
    const panel = page.getByRole('region', { name: 'Build Mode' })
    await visit(page, `/server-instance/${regular.id}`)
    await panel.getByRole('button', { name: 'Enable Boost' }).waitFor()
    const counts = async (words: RegExp) => {
      await visit(page, `/server-instance/${regular.id}`)
      const timer = panel.getByRole('timer')
      await timer.filter({ hasText: words }).waitFor()
      const seconds = async () => Number(words.exec(await timer.innerText())![1])
      const first = await seconds()
      await eventually(async () => assert.ok((await seconds()) < first))
    }
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000)
    await row.clone().update({ boosted_until: at(300), boost_available_at: at(3_900) })
    await counts(/^Boost Active For: (\d+)s$/)
    await row.clone().update({ boosted_until: at(-1), boost_available_at: at(600) })
    await counts(/^Boost Available In: (\d+)s$/)
    await page.route('**/server-instance/boost/info*', (route) =>
      route.fulfill({ status: 503, json: { success: false, message: 'The machine is away.' } })
    )
    await visit(page, `/server-instance/${regular.id}`)
    await waitForToast(page, 'The machine is away.')
    await page.unroute('**/server-instance/boost/info*')
  })
})
