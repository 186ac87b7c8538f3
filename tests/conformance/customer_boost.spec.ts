/// <reference lib="dom" />
import { makeInstance } from '#guest/tests/instances'
import { openIncusClient } from '#hosts/incus_connections'
import type { ServerInstance } from '#instances/public'
import { visit } from '#tests/support/browser'
import { uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('Build Mode of an instance', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let instance: ServerInstance

  group.setup(async () => {
    const { host, stop } = await startFakeHost()
    const name = uniqueName('built')
    const incus = openIncusClient(host)
    await (await incus.instances.create({ name, image: 'berth-base' })).wait()
    await (await incus.instances.setState(name, 'start')).wait()
    await incus.close()
    instance = await makeInstance(stage.person, {
      name,
      systemId: name,
      hostInstanceId: host.id,
      instanceType: 'regular',
      boostMode: true,
      vcpu: 1,
      memoryBytes: 256 * 1024 ** 2,
      diskBytes: 1024 ** 3,
    })
    return stop
  })

  proves(['C4.8', 'C7.36'], async () => {
    const { page } = stage
    await visit(page, `/server-instance/${instance.id}`)
    const panel = page.getByRole('region', { name: 'Build Mode' })
    const call = page.waitForRequest('**/server-instance/boost')
    await panel.getByRole('button', { name: 'Enable Boost' }).click()
    const asked = await call
    assert.deepEqual(asked.postDataJSON(), { server_instance_id: instance.id })
    const answer = (await (await asked.response())!.json()) as { success: boolean }
    assert.equal(answer.success, true, JSON.stringify(answer))
    await panel
      .getByRole('timer')
      .filter({ hasText: /^Boost Active For: \d+s$/ })
      .waitFor()
  })
})
