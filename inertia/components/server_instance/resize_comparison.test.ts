import { expect, test } from 'vitest'
import { listSizeOptions } from './resize_comparison'
import type { PackageWithAvailabilityView } from './types'

function offer(
  id: number,
  version: number,
  ram: number,
  more: Partial<PackageWithAvailabilityView> = {}
): PackageWithAvailabilityView {
  return {
    id,
    version,
    name: `Package ${id}`,
    instance_type: 'regular',
    server_series: 'bronze',
    specifications: {
      vcpu: { value: 1 },
      ram: { value: ram, unit: 'GB' },
      storage: { value: 10, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'TB' },
    },
    pricing: [],
    offered: true,
    room: { allowed: true, reason: null },
    ...more,
  }
}

test('the size options start with the instance’s package version, then the latest version of this package if that is newer', () => {
  const instance = { package: offer(1, 2, 1) }
  const full = { allowed: false, reason: 'Sold out' }
  const sold = [offer(1, 3, 2), offer(2, 1, 4), offer(3, 1, 8, { room: full })]
  const found = listSizeOptions(instance, sold)
  expect(found.map(({ key, reason }) => [key, reason])).toEqual([
    ['1', null],
    ['1:3', null],
    ['2', null],
    ['3', 'Sold out'],
  ])
  expect(found[0]!.label).toMatch(/^Package 1, version 2 \(current\) · 1 vCPU · 1 GB RAM/u)
  expect(found[1]!.label).toMatch(/^Package 1, version 3 \(latest\) · 1 vCPU · 2 GB RAM/u)
  expect(listSizeOptions(instance, [offer(1, 2, 1)])).toHaveLength(1)
})
