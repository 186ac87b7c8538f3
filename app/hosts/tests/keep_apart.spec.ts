import { incusClientFor } from '#hosts/incus_connections'
import { isolateHostTenants } from '#hosts/isolate_tenants'
import { FakeIncus } from '#packages/incus/fake'
import { TENANT_ACL } from '#packages/incus/main'
import { createFakeHost, retireHosts } from '#tests/support/hosts'
import { test } from '@japa/runner'

test.group('Keeping tenants apart', () => {
  test('is for the network that they are in, whatever the row of the host names', async ({
    assert,
    cleanup,
  }) => {
    const fake = await FakeIncus.start()
    const host = await createFakeHost(fake)
    cleanup(async () => {
      await retireHosts(host)
      await fake.stop()
    })
    await incusClientFor(host).networks.create({ name: 'office', config: {} })
    await isolateHostTenants(host.merge({ network: 'office' }))
    const rulesOf = (name: string) => fake.state.networks.get(name)!.config['security.acls']
    assert.deepEqual([rulesOf('incusbr0'), rulesOf('office')], [TENANT_ACL, undefined])
  })
})
