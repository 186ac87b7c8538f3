import {
  capacityPermission,
  computeFreeCapacityForResize,
  countFittingOrders,
  type FreeCapacity,
} from '#hosts/capacity'
import { test } from '@japa/runner'

const BYTES_PER_GIB = 1024 ** 3

test.group('Free capacity of hosts', () => {
  test('the reason against an order names the lacking resource, and whether the lack is temporary', ({
    assert,
  }) => {
    const room = (left: Partial<FreeCapacity['left']>, cpuTotal = 4): FreeCapacity => {
      const limit = { vcpu: 16, memory: 8 * BYTES_PER_GIB, disk: 80 * BYTES_PER_GIB, ports: 10 }
      return { cpuTotal, limit, left: { ...limit, ...left } }
    }
    const allocation = { vcpu: 2, memory: 2 * BYTES_PER_GIB, disk: 10 * BYTES_PER_GIB }
    const reason = (...rooms: FreeCapacity[]) => capacityPermission(allocation, rooms).reason
    assert.isNull(reason(room({})))
    assert.equal(reason(room({ memory: BYTES_PER_GIB })), 'Sold out: not enough memory left.')
    const both = room({ memory: BYTES_PER_GIB, disk: BYTES_PER_GIB })
    assert.equal(reason(both), 'Sold out: not enough memory and disk left.')
    assert.equal(reason(room({ vcpu: 1 })), 'Sold out: not enough processors left.')
    assert.equal(reason(room({ ports: 0 })), 'Sold out: not enough ports left.')
    // Without room on any host, the reason comes from the host that lacks the fewest resources. One host with room
    // is sufficient.
    assert.equal(reason(both, room({ disk: BYTES_PER_GIB })), 'Sold out: not enough disk left.')
    assert.isNull(reason(both, room({})))
    assert.equal(reason(room({}, 1)), 'Too large for the host: not enough processors.')
    assert.equal(reason(), 'No host accepts new instances right now.')
  })

  test('the number of possible orders depends on the scarcest resource', ({ assert }) => {
    const allocation = { vcpu: 1, memory: BYTES_PER_GIB, disk: 3 * BYTES_PER_GIB }
    const left = { vcpu: 9, memory: 8 * BYTES_PER_GIB, disk: 20 * BYTES_PER_GIB, ports: 7 }
    const count = (change: Partial<FreeCapacity['left']>, cpuTotal = 4) => {
      const now = Object.assign({ ...left }, change)
      return countFittingOrders(allocation, { cpuTotal, limit: left, left: now })
    }
    assert.equal(count({}), 6)
    assert.equal(count({ memory: 2.9 * BYTES_PER_GIB }), 2)
    assert.equal(count({ ports: 1 }), 1)
    assert.equal(count({ disk: -BYTES_PER_GIB }), 0)
    assert.equal(count({}, 0), 0)
  })

  test('an instance can shrink on a host that has allocated more than its limit', ({ assert }) => {
    const limit = { vcpu: 16, memory: 8 * BYTES_PER_GIB, disk: 80 * BYTES_PER_GIB, ports: 10 }
    const left = { vcpu: 4, memory: BYTES_PER_GIB, disk: -30 * BYTES_PER_GIB, ports: 5 }
    const own = { vcpu: 1, memory: BYTES_PER_GIB, disk: 20 * BYTES_PER_GIB }
    const room = computeFreeCapacityForResize({ cpuTotal: 4, limit, left }, own)
    const permission = (disk: number) =>
      capacityPermission({ vcpu: 1, memory: BYTES_PER_GIB, disk: disk * BYTES_PER_GIB }, [room])
    assert.isTrue(permission(10).allowed)
    assert.equal(permission(21).reason, 'Sold out: not enough disk left.')
  })
})
