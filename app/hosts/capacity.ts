import type { Allocation } from '#catalog/public'
import { denied, type Permission, ALLOWED } from '#core/permission'

/** Amounts of a host's resources. `ports`: number of host ports that can be forwarded to instances. */
export type HostResourceAmounts = Pick<Allocation, 'vcpu' | 'memory' | 'disk'> & { ports: number }

export interface FreeCapacity {
  /** Number of the host's CPUs. One instance cannot get more, even with overcommitment. */
  cpuTotal: number
  limit: HostResourceAmounts
  left: HostResourceAmounts
}

export type HostResource = 'processors' | 'memory' | 'disk' | 'ports'

export function listLackingResources(
  allocation: Allocation,
  { cpuTotal }: FreeCapacity,
  left: HostResourceAmounts
): HostResource[] {
  const lacking: HostResource[] = []
  if (allocation.vcpu > cpuTotal || allocation.vcpu > left.vcpu) lacking.push('processors')
  if (allocation.memory > left.memory) lacking.push('memory')
  if (allocation.disk > left.disk) lacking.push('disk')
  if (left.ports < 1) lacking.push('ports')
  return lacking
}

export function fitsAllocation(allocation: Allocation, room: FreeCapacity): boolean {
  return listLackingResources(allocation, room, room.left).length === 0
}

/**
 * Returns whether any host has enough free resources. If none has, the reason names what is missing on the host
 * that lacks the fewest resources.
 */
export function capacityPermission(allocation: Allocation, rooms: FreeCapacity[]): Permission {
  if (rooms.length === 0) return denied('No host accepts new instances right now.')
  const now = shortestList(rooms.map((room) => listLackingResources(allocation, room, room.left)))
  if (now.length === 0) return ALLOWED
  const ever = shortestList(rooms.map((room) => listLackingResources(allocation, room, room.limit)))
  return ever.length
    ? denied(
        `Too large for ${rooms.length > 1 ? 'every host' : 'the host'}: not enough ${joinResourceNames(ever)}.`
      )
    : denied(`Sold out: not enough ${joinResourceNames(now)} left.`)
}

export function countFittingOrders(allocation: Allocation, room: FreeCapacity): number {
  if (!fitsAllocation(allocation, room)) return 0
  const { vcpu, memory, disk, ports } = room.left
  return Math.floor(
    Math.min(vcpu / allocation.vcpu, memory / allocation.memory, disk / allocation.disk, ports)
  )
}

/**
 * Computes the free capacity for resizing an instance. Its present allocation counts as free. That also applies to
 * a host above its limit (after staff lowered the overcommitment), so an instance can always shrink.
 */
export function computeFreeCapacityForResize(room: FreeCapacity, own: Allocation): FreeCapacity {
  const free = (name: 'vcpu' | 'memory' | 'disk') => Math.max(0, room.left[name]) + own[name]
  const left = { vcpu: free('vcpu'), memory: free('memory'), disk: free('disk') }
  return { ...room, left: { ...left, ports: room.left.ports + 1 } }
}

function shortestList(lists: HostResource[][]): HostResource[] {
  return lists.reduce((least, one) => (one.length < least.length ? one : least))
}

function joinResourceNames(means: HostResource[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(means)
}
