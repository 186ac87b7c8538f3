import { listEdgeSourceAddresses } from '#edge/public'
import { makeHost } from '#projects/tests/fixtures'
import { retireHosts } from '#tests/support/hosts'
import { test } from '@japa/runner'
import { networkInterfaces } from 'node:os'

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)

test.group('Projects | source addresses of the edge’s requests', () => {
  test('are the bridge address for a local instance, and all of this machine’s addresses for a remote one', async ({
    assert,
  }) => {
    const [{ address }] = own
    const local = await makeHost('/nowhere', { isLocal: true })
    const beside = { privateIp: address, hostInstanceId: local.id }
    assert.deepEqual(await listEdgeSourceAddresses(beside), [address])
    assert.deepEqual(await listEdgeSourceAddresses({ ...beside, privateIp: '203.0.113.7' }), [])
    assert.deepEqual(await listEdgeSourceAddresses({ ...beside, privateIp: null }), [])

    const other = await makeHost('/nowhere', { isLocal: false })
    const found = await listEdgeSourceAddresses({ privateIp: '10.1.2.3', hostInstanceId: other.id })
    assert.includeMembers(found, [address])
    assert.notInclude(found, '127.0.0.1')
    await retireHosts(local, other)
  }).skip(own.length === 0, 'this machine has no address')
})
