import { EventEmitter } from 'node:events'
import { test } from '@japa/runner'
import { ConnectionLimit } from '../smtp/connection_limit.js'

test.group('Limit of connections', () => {
  const socketFrom = (remoteAddress: string) => Object.assign(new EventEmitter(), { remoteAddress })

  test('all addresses of an IPv6 /64 network share one limit, and other networks have their own', ({
    assert,
  }) => {
    const limit = new ConnectionLimit({ total: 10, perNetwork: 2 })
    const [first, ...others] = ['::1', ':0:0:0:2', ':ffff::3'].map((host) =>
      socketFrom(`2001:db8:0:7${host}`)
    )
    assert.isTrue(limit.admit(first!))
    assert.deepEqual(
      others.map((socket) => limit.admit(socket)),
      [true, false]
    )
    assert.isTrue(limit.admit(socketFrom('2001:db8:0:8::1')))
    for (const socket of [first!, ...others]) socket.emit('close')
    assert.isTrue(limit.admit(socketFrom('2001:db8:0:7::4')))
  })

  test('both notations of an IPv4 address share one limit, and connections from this host have only the total limit', ({
    assert,
  }) => {
    const limit = new ConnectionLimit({ total: 5, perNetwork: 1 })
    assert.isTrue(limit.admit(socketFrom('192.0.2.7')))
    assert.isFalse(limit.admit(socketFrom('::ffff:192.0.2.7')))
    assert.isTrue(limit.admit(socketFrom('192.0.2.8')))
    assert.isTrue(limit.admit(socketFrom('::1')))
    assert.isTrue(limit.admit(socketFrom('::1')))
    assert.isFalse(limit.admit(socketFrom('::1')))
  })
})
