import {
  type Allocation,
  allocationFromSpecifications,
  type PackageWithAvailability,
  listOfferedPackages,
  type ServerPackage,
} from '#catalog/public'
import HostInstance from '#hosts/models/host_instance'
import { FIRST_INSTANCE_PORT, LAST_INSTANCE_PORT } from '#hosts/instance_port_range'
import { type FreeCapacity, capacityPermission, countFittingOrders } from '#hosts/capacity'
import type {
  HostCapacityView,
  PackageCapacity,
  SoldOutPackageGroup,
} from '#hosts/transformers/host'
import env from '#start/env'

/**
 * Factor of overcommitment for CPUs (decision 0006). Memory is never overcommitted, and disk only if staff set it
 * (decision 0085). A higher factor suits customers who use little CPU.
 */
const CPU_OVERCOMMIT = env.get('CPU_OVERCOMMIT', 4)
/** Fraction of the memory and disk that is reserved for the host itself. */
const RESERVED_RATIO = 0.1
const MIN_RESERVED_MEMORY_BYTES = 512 * 1024 ** 2

/** In bytes and CPUs. Includes overcommitment. */
export function allocationLimits(
  host: Pick<HostInstance, 'cpuTotal' | 'memoryTotal' | 'diskTotal' | 'diskOvercommit'>
) {
  return {
    cpu: host.cpuTotal * CPU_OVERCOMMIT,
    memory: Math.max(
      0,
      host.memoryTotal -
        Math.max(MIN_RESERVED_MEMORY_BYTES, Math.ceil(host.memoryTotal * RESERVED_RATIO))
    ),
    disk: Math.floor(host.diskTotal * (1 - RESERVED_RATIO) * host.diskOvercommit),
  }
}

/** Nothing more is allocated on such a disk. The alert *Storage pool nearly full* has the same limit. */
export function isOvercommittedDiskFull({
  diskOvercommit,
  diskUsed,
  diskTotal,
}: Pick<HostInstance, 'diskOvercommit' | 'diskUsed' | 'diskTotal'>): boolean {
  return diskOvercommit > 1 && (diskUsed ?? 0) >= diskTotal * (1 - RESERVED_RATIO)
}

/** Columns from which the capacity is computed. With them, queries for many hosts do not load keys and certificates. */
export const CAPACITY_COLUMNS = [
  'id',
  'cpuTotal',
  'memoryTotal',
  'diskTotal',
  'diskUsed',
  'diskOvercommit',
  'leasedPorts',
  'allocatedVcpu',
  'allocatedMemory',
  'allocatedDisk',
] as const

export function computeFreeCapacity(host: HostInstance): FreeCapacity {
  const { cpu, ...most } = allocationLimits(host)
  const limit = { vcpu: cpu, ...most, ports: LAST_INSTANCE_PORT - FIRST_INSTANCE_PORT + 1 }
  const left = {
    vcpu: limit.vcpu - host.allocatedVcpu,
    memory: limit.memory - host.allocatedMemory,
    disk: isOvercommittedDiskFull(host) ? 0 : limit.disk - host.allocatedDisk,
    ports: limit.ports - host.leasedPorts,
  }
  return { cpuTotal: host.cpuTotal, limit, left }
}

export function hostCapacityView(host: HostInstance): HostCapacityView {
  const limit = allocationLimits(host)
  return {
    cpu: { total: host.cpuTotal, allocated: host.allocatedVcpu, limit: limit.cpu },
    memory: {
      total: host.memoryTotal,
      allocated: host.allocatedMemory,
      limit: limit.memory,
      used: host.memoryUsed,
    },
    disk: {
      total: host.diskTotal,
      allocated: host.allocatedDisk,
      limit: limit.disk,
      used: host.diskUsed,
      overcommit: host.diskOvercommit,
      is_full: isOvercommittedDiskFull(host),
    },
    instances: host.allocatedInstances,
  }
}

export function offersWithAvailability(
  packages: ServerPackage[],
  rooms: FreeCapacity[],
  allocationOf = ({ specifications }: ServerPackage): Allocation =>
    allocationFromSpecifications(specifications)
): PackageWithAvailability[] {
  return packages.map((row) => ({
    row,
    room: capacityPermission(allocationOf(row), rooms),
  }))
}

export async function listFreeCapacities(): Promise<FreeCapacity[]> {
  const hosts = await HostInstance.acceptingOrders()
    .orderBy('id')
    .select(...CAPACITY_COLUMNS)
  return hosts.map(computeFreeCapacity)
}

export async function listPackageCapacity(host: HostInstance): Promise<PackageCapacity[]> {
  const room = computeFreeCapacity(host)
  return (await listOfferedPackages())
    .map(({ name, specifications }) => ({
      name,
      more: countFittingOrders(allocationFromSpecifications(specifications), room),
    }))
    .filter(({ more }) => more > 0)
}

/** Lists the names of sold-out packages, by host id and then by reason. */
export async function listSoldOutPackagesByHost(
  hosts: HostInstance[]
): Promise<Map<number, SoldOutPackageGroup[]>> {
  const packages = await listOfferedPackages()
  return new Map(
    hosts.map((host) => {
      const byReason = new Map<string, string[]>()
      for (const { row, room: fit } of offersWithAvailability(packages, [
        computeFreeCapacity(host),
      ])) {
        if (fit.allowed) continue
        const names = byReason.get(fit.reason!) ?? []
        byReason.set(fit.reason!, [...names, row.name])
      }
      const groups = [...byReason].map(([reason, names]) => ({ reason, packages: names }))
      return [host.id, groups]
    })
  )
}
