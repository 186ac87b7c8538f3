import {
  allocationAfterResize,
  allocationFromSpecifications,
  diskQuotaWithoutImage,
  IMAGE_RESERVE_BYTES,
} from '#catalog/allocation'
import { test } from '@japa/runner'

const BYTES_PER_GIB = 1024 ** 3

test.group('Packages', () => {
  test('allocate processors, and bytes of memory and disk, plus the reserve for the base image', ({
    assert,
  }) => {
    const allocation = allocationFromSpecifications({
      vcpu: { value: 2 },
      ram: { value: 512, unit: 'MB' },
      storage: { value: 5, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'TB' },
    })
    const memory = 512 * 1024 ** 2
    const disk = 5 * BYTES_PER_GIB + IMAGE_RESERVE_BYTES
    assert.deepEqual(allocation, { vcpu: 2, memory, disk, image: IMAGE_RESERVE_BYTES })
    assert.equal(
      diskQuotaWithoutImage({ diskBytes: disk, imageBytes: allocation.image }),
      5 * BYTES_PER_GIB
    )
  })

  test('keep an earlier instance’s larger image reserve until a resize shrinks the disk', ({
    assert,
  }) => {
    const own = { diskBytes: 7 * BYTES_PER_GIB, imageBytes: 2 * BYTES_PER_GIB }
    const resized = (gigabytes: number) => {
      const { disk, image } = allocationAfterResize(
        {
          vcpu: { value: 2 },
          ram: { value: 512, unit: 'MB' },
          storage: { value: gigabytes, unit: 'GB', type: 'SSD' },
          bandwidth: { value: 1, unit: 'TB' },
        },
        own
      )
      return [disk / BYTES_PER_GIB, image / BYTES_PER_GIB]
    }
    assert.deepEqual(resized(5), [7, 2])
    assert.deepEqual(resized(6), [8, 2])
    assert.deepEqual(resized(4), [4.75, 0.75])
  })
})
