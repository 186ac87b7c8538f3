import type { Allocation } from '#catalog/public'
import { denied, type Permission, ALLOWED } from '#core/permission'

/** What hosts allocate, and the ports that lead into instances. */
export type HostResourceAmounts = Pick<Allocation, 'vcpu' | 'memory' | 'disk'> & { ports: number }

/** What a host has: what it can allocate in all, and what of that is left. */
export interface FreeCapacity {
  /** Its processors: one instance never gets more, however many are allocated in all. */
  cpuTotal: number
  limit: HostResourceAmounts
  left: HostResourceAmounts
}

export type HostResource = 'processors' | 'memory' | 'disk' | 'ports'

/** What of a host is too little for an allocation; nothing where it fits. */
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
 * Whether any of these hosts can take an allocation now; where none can, what is in the way: of hosts
 * that lack different things, the one that comes closest tells.
 */
export function capacityPermission(allocation: Allocation, rooms: FreeCapacity[]): Permission {
  if (rooms.length === 0) return denied('No host accepts new instances right now.')
  const now = fewest(rooms.map((room) => listLackingResources(allocation, room, room.left)))
  if (now.length === 0) return ALLOWED
  const ever = fewest(rooms.map((room) => listLackingResources(allocation, room, room.limit)))
  return ever.length
    ? denied(
        `Too large for ${rooms.length > 1 ? 'every host' : 'the host'}: not enough ${list(ever)}.`
      )
    : denied(`Sold out: not enough ${list(now)} left.`)
}

/** The room that is there for another size of an instance: its own is given back. */
export function computeFreeCapacityForResize(room: FreeCapacity, own: Allocation): FreeCapacity {
  const { vcpu, memory, disk, ports } = room.left
  const left = { vcpu: vcpu + own.vcpu, memory: memory + own.memory, disk: disk + own.disk }
  return { ...room, left: { ...left, ports: ports + 1 } }
}

function fewest(lists: HostResource[][]): HostResource[] {
  return lists.reduce((least, one) => (one.length < least.length ? one : least))
}

function list(means: HostResource[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(means)
}
