/// <reference lib="dom" />
import type HostInstance from '#hosts/models/host_instance'
import { FakeIncus } from '#packages/incus/fake'
import { visit } from '#tests/support/browser'
import { createFakeHost, retireHosts, uniqueName } from '#tests/support/hosts'
import { makeHost } from '#projects/tests/fixtures'
import { makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const LIST_PATH = '/admin/host-instance/list'

test.group('Host instance list', (group) => {
  const stage = stageOf(group, () => makeStaff())
  let fake: FakeIncus
  let active: HostInstance
  let away: HostInstance

  group.setup(async () => {
    fake = await FakeIncus.start()
    active = await createFakeHost(fake)
    away = await makeHost('/nowhere', { name: uniqueName('away'), status: 'maintenance' })
    return async () => {
      await retireHosts(active, away)
      await fake.stop()
    }
  })
  group.each.setup(() => visit(stage.page, LIST_PATH))

  const card = ({ name }: HostInstance) => stage.page.getByRole('article', { name, exact: true })

  proves(['A2.23', 'A2.37'], async () => {
    await stage.page.getByRole('heading', { name: 'Host Instance List', level: 1 }).waitFor()
    const { json } = await (await signIn(stage.person)).page(LIST_PATH)
    assert.equal(json.component, 'admin/host_instance/list')
  })

  proves(['A2.38', 'A2.39', 'A4.1'], async () => {
    const { json } = await (await signIn(stage.person)).page(LIST_PATH)
    const labels = Object.values(json.props!.instanceStatus as Record<string, string>)
    assert.ok(labels.length > 1)
    const filters = stage.page.getByRole('group', { name: 'Filter by status' })
    for (const label of [...labels, 'All Host Instances']) {
      await filters.getByRole('button', { name: label }).waitFor()
    }
    await filters.getByRole('button', { name: 'Maintenance' }).click()
    await card(active).waitFor({ state: 'detached' })
    await card(away).waitFor()
    await filters.getByRole('button', { name: 'All Host Instances' }).click()
    await card(active).waitFor()
  })

  proves(['A2.40', 'A2.41', 'A2.42', 'A5.12'], async () => {
    const search = stage.page.getByLabel('Search by name')
    await search.fill(active.name.slice(0, -2))
    await card(active).waitFor()
    await search.fill(active.name.slice(1))
    await stage.page.getByText('-- Empty --').waitFor()
    await search.fill('')
    await card(active).waitFor()
  })

  proves(['A2.43', 'A2.44', 'A4.2'], async () => {
    await card(away).waitFor()
    assert.equal(await card(away).getByText('Manage', { exact: true }).count(), 0)
    await card(active)
      .getByRole('link', { name: `Manage ${active.name}` })
      .click()
    await stage.page.waitForURL(`**/admin/host-instance/${active.id}`)
  })
})
