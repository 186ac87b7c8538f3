import { describe, expect, test } from 'vitest'
import { withAddedDomain } from './domain_list_editor'
import {
  selectedPackage,
  DEFAULT_SERIES,
  findAvailableSeries,
  matchingPackages,
  listSeries,
  type OrderSelection,
} from './order_selection'
import type { PackageWithAvailabilityView } from './types'
import { parsePorts, formatPorts } from './update_form'

function option(
  id: number,
  series: PackageWithAvailabilityView['server_series'],
  more: Partial<PackageWithAvailabilityView> = {}
) {
  return {
    id,
    name: `Package ${id}`,
    instance_type: 'regular',
    server_series: series,
    specifications: {
      vcpu: { value: 1 },
      ram: { value: 1, unit: 'GB' },
      storage: { value: 10, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'TB' },
    },
    pricing: [{ period: 'month', price: '5.00', renew: '5.00', billing_cycle: 1 }],
    version: 1,
    offered: true,
    room: { allowed: true, reason: null },
    ...more,
  } satisfies PackageWithAvailabilityView
}

const packages = [
  option(1, 'bronze'),
  option(2, 'bronze'),
  option(3, 'silver'),
  option(4, 'bronze', { instance_type: 'shared' }),
]

const choice: OrderSelection = {
  instance_type: 'regular',
  series: DEFAULT_SERIES,
  billing_period: 'month',
  server_package_id: null,
}

describe('Order form', () => {
  test('selects the series bronze and its first package by default', () => {
    expect(DEFAULT_SERIES).toBe('bronze')
    expect(selectedPackage(packages, choice)?.id).toBe(1)
  })

  test('keeps the selected package as long as the filters show it', () => {
    const second = { ...choice, server_package_id: 2 }
    expect(selectedPackage(packages, second)?.id).toBe(2)
    expect(selectedPackage(packages, { ...second, series: 'silver' })?.id).toBe(3)
    expect(selectedPackage(packages, { ...second, instance_type: 'shared' })?.id).toBe(4)
  })

  test('offers no package without a price for the period', () => {
    expect(matchingPackages(packages, { ...choice, billing_period: 'year' })).toEqual([])
    expect(selectedPackage(packages, { ...choice, billing_period: 'year' })).toBeNull()
  })

  test('skips sold-out packages, and suggests a series with free capacity', () => {
    const room = { allowed: false, reason: 'Sold out: not enough memory left.' }
    const [first, second, silver, shared] = packages
    const full = { ...first, room }
    expect(selectedPackage([full, second], choice)?.id).toBe(2)
    // The chosen package is sold out. The page must not choose another package instead.
    expect(selectedPackage([full, second], { ...choice, server_package_id: 1 })).toBeNull()
    const none = [full, { ...second, room }]
    expect(selectedPackage([...none, silver], choice)).toBeNull()
    expect(findAvailableSeries([...none, shared, silver], choice)).toEqual({
      label: 'Silver',
      change: { instance_type: 'regular', series: 'silver' },
    })
    expect(findAvailableSeries([...none, shared], choice)?.label).toBe('Shared Bronze')
    expect(findAvailableSeries(none, choice)).toBeNull()
  })

  test('lists the series of an instance type', () => {
    expect(listSeries(packages, 'regular')).toEqual(['bronze', 'silver'])
    expect(listSeries(packages, 'shared')).toEqual(['bronze'])
  })
})

describe('Domain list', () => {
  test('added domains are pending, and empty or duplicate ones are ignored', () => {
    const added = withAddedDomain([], ' Shop.Example.com ')
    expect(added).toEqual([{ subdomain: 'shop.example.com', status: 'pending' }])
    expect(withAddedDomain(added, '  ')).toBe(added)
    expect(withAddedDomain(added, 'SHOP.example.com')).toBe(added)
  })
})

describe('Ports as text', () => {
  test('can be formatted and parsed again', () => {
    const ports = { ssh: 20001, http: 20002 }
    expect(parsePorts(formatPorts(ports))).toEqual(ports)
    expect(parsePorts('\n ssh 22 \n')).toEqual({ ssh: 22 })
  })

  test('are rejected if a line is invalid', () => {
    expect(parsePorts('ssh: 70000')).toBeNull()
    expect(parsePorts('ssh')).toBeNull()
  })
})
