import { incusClientFor } from '#hosts/incus_connections'
import type HostInstance from '#hosts/models/host_instance'
import { FakeIncus } from '#packages/incus/fake'
import { createFakeHost, retireHosts } from '#tests/support/hosts'
import { actAsWorker } from '#tests/support/worker'
import { test } from '@japa/runner'

test.group('Connections to Incus', (group) => {
  let own: FakeIncus
  let other: FakeIncus
  let host: HostInstance

  group.each.setup(async () => {
    own = await FakeIncus.start()
    other = await FakeIncus.start()
    host = await createFakeHost(other)
    return async () => {
      await retireHosts(host)
      await Promise.all([own.stop(), other.stop()])
    }
  })

  test('the worker uses only one local Incus socket, whatever database rows contain', async ({
    assert,
    cleanup,
  }) => {
    cleanup(actAsWorker(own.socketPath))
    const asked = other.requestCount
    assert.throws(
      () => incusClientFor(host),
      /the address, certificate or client key for its Incus is not stored/
    )
    await host.merge({ isLocal: true }).save()
    await incusClientFor(host).info()
    assert.equal(other.requestCount, asked)
    assert.isAbove(own.requestCount, 0)
  })
})
