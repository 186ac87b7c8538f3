import { type FreeCapacity, capacityPermission } from '#hosts/capacity'
import { test } from '@japa/runner'

const BYTES_PER_GIB = 1024 ** 3

test.group('Room on hosts', () => {
  test('says what is in the way, and whether that is for now or for good', ({ assert }) => {
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
    // With several hosts, the reason comes from the one that lacks the fewest resources. One host
    // with room is sufficient.
    assert.equal(reason(both, room({ disk: BYTES_PER_GIB })), 'Sold out: not enough disk left.')
    assert.isNull(reason(both, room({})))
    assert.equal(reason(room({}, 1)), 'Too large for the host: not enough processors.')
    assert.equal(reason(), 'No host accepts new instances right now.')
  })
})
