import { diskQuotaWithoutImage, allocationFromSpecifications } from '#catalog/allocation'
import { test } from '@japa/runner'

const BYTES_PER_GIB = 1024 ** 3

test.group('Packages', () => {
  test('allocate processors and bytes, the room for the image on top of the disk', ({ assert }) => {
    const allocation = allocationFromSpecifications({
      vcpu: { value: 2 },
      ram: { value: 512, unit: 'MB' },
      storage: { value: 5, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'TB' },
    })
    assert.deepEqual(allocation, { vcpu: 2, memory: 512 * 1024 ** 2, disk: 7 * BYTES_PER_GIB })
    assert.equal(diskQuotaWithoutImage(allocation.disk), 5 * BYTES_PER_GIB)
  })
})
