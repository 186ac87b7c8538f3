import { hostCan } from '#hosts/states/host'
import { test } from '@japa/runner'

test.group('Allowed actions of hosts', () => {
  test('a host with instances cannot be removed, and a host in maintenance cannot be managed', ({
    assert,
  }) => {
    const host = { status: 'active', isLocal: true } as const
    assert.isTrue(hostCan('delete', host, 0).allowed)
    assert.include(hostCan('delete', host, 2).reason, '2 server instances')
    assert.isFalse(hostCan('manage', { ...host, status: 'maintenance' }, 0).allowed)
    assert.isTrue(hostCan('maintenanceOff', { ...host, status: 'maintenance' }, 0).allowed)
  })
})
