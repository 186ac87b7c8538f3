import { checkHost } from '#hosts/check_host'
import HostInstance from '#hosts/models/host_instance'
import type { FakeIncus } from '#packages/incus/fake'
import { startFakeHost } from '#tests/support/hosts'
import { test } from '@japa/runner'

test.group('Host checks', (group) => {
  let fake: FakeIncus
  let host: HostInstance

  group.each.setup(async () => {
    const started = await startFakeHost()
    ;({ fake, host } = started)
    return started.stop
  })

  test('set a host offline with a reason, then active again, and do not change maintenance', async ({
    assert,
  }) => {
    assert.equal(await checkHost(host), 'active')
    await HostInstance.query().where('id', host.id).update({ incus_url: 'unix:/nowhere/at.all' })
    assert.equal(await checkHost(await host.refresh()), 'offline')
    await host.refresh()
    assert.equal(host.status, 'offline')
    assert.include(host.statusReason, 'cannot be reached')
    assert.isFalse(host.respondsThoughOffline)
    await HostInstance.query()
      .where('id', host.id)
      .update({ incus_url: `unix:${fake.socketPath}` })
    assert.equal(await checkHost(await host.refresh()), 'active')
    await host.refresh()
    assert.deepEqual([host.status, host.statusReason], ['active', null])
    await host.merge({ status: 'maintenance' }).save()
    assert.equal(await checkHost(host), 'maintenance')
  })
})
