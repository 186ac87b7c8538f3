import { incusClientFor } from '#hosts/incus_connections'
import { isolateHostTenants } from '#hosts/isolate_tenants'
import { TENANT_ACL } from '#packages/incus/main'
import { startFakeHost } from '#tests/support/hosts'
import { test } from '@japa/runner'

test.group('Isolation of tenants', () => {
  test("uses the network of Incus's default profile, whatever network the host's row names", async ({
    assert,
    cleanup,
  }) => {
    const { fake, host, stop } = await startFakeHost()
    cleanup(stop)
    await incusClientFor(host).networks.create({ name: 'office', config: {} })
    await isolateHostTenants(host.merge({ network: 'office' }))
    const rulesOf = (name: string) => fake.state.networks.get(name)!.config['security.acls']
    assert.deepEqual([rulesOf('incusbr0'), rulesOf('office')], [TENANT_ACL, undefined])
  })
})
