import type { Allocation } from '#catalog/public'
import { no, type Verdict, yes } from '#core/verdict'

/** What hosts allocate, and the ports that lead into instances. */
export type Stock = Pick<Allocation, 'vcpu' | 'memory' | 'disk'> & { ports: number }

/** What a host has: what it can allocate in all, and what of that is left. */
export interface Room {
  /** Its processors: one instance never gets more, however many are allocated in all. */
  cpuTotal: number
  limit: Stock
  left: Stock
}

export type Means = 'processors' | 'memory' | 'disk' | 'ports'

/** What of a host is too little for an allocation; nothing where it fits. */
export function lackingFor(allocation: Allocation, { cpuTotal }: Room, left: Stock): Means[] {
  const lacking: Means[] = []
  if (allocation.vcpu > cpuTotal || allocation.vcpu > left.vcpu) lacking.push('processors')
  if (allocation.memory > left.memory) lacking.push('memory')
  if (allocation.disk > left.disk) lacking.push('disk')
  if (left.ports < 1) lacking.push('ports')
  return lacking
}

export function fits(allocation: Allocation, room: Room): boolean {
  return lackingFor(allocation, room, room.left).length === 0
}

/**
 * Whether any of these hosts can take an allocation now; where none can, what is in the way: of hosts
 * that lack different things, the one that comes closest tells.
 */
export function roomVerdict(allocation: Allocation, rooms: Room[]): Verdict {
  if (rooms.length === 0) return no('No host accepts new instances right now.')
  const now = fewest(rooms.map((room) => lackingFor(allocation, room, room.left)))
  if (now.length === 0) return yes
  const ever = fewest(rooms.map((room) => lackingFor(allocation, room, room.limit)))
  return ever.length
    ? no(`Too large for ${rooms.length > 1 ? 'every host' : 'the host'}: not enough ${list(ever)}.`)
    : no(`Sold out: not enough ${list(now)} left.`)
}

/** The room that is there for another size of an instance: its own is given back. */
export function roomBeside(room: Room, own: Allocation): Room {
  const { vcpu, memory, disk, ports } = room.left
  const left = { vcpu: vcpu + own.vcpu, memory: memory + own.memory, disk: disk + own.disk }
  return { ...room, left: { ...left, ports: ports + 1 } }
}

function fewest(found: Means[][]): Means[] {
  return found.reduce((least, one) => (one.length < least.length ? one : least))
}

function list(means: Means[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(means)
}
