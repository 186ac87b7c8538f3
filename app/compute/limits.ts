import type { Specifications } from '#compute/models/host_instance'

const GIB = 1024 ** 3
const UNITS = { MB: 1024 ** 2, GB: GIB, TB: 1024 * GIB }

/** Instances that one customer can have at most, deleted ones not counted. */
export const MAX_INSTANCES = 50
/** Ports of a host that are given to instances. */
export const FIRST_PORT = 20_000
export const LAST_PORT = 29_999
/** The image counts within an instance's disk quota, so the root gets this much above the package. */
export const IMAGE_ROOM = 2 * GIB

/** What an instance gets: processors and bytes. `disk` holds the room for the image. */
export interface Share {
  vcpu: number
  memory: number
  disk: number
}

/** What a package promises. */
export function shareOf({ vcpu, ram, storage }: Specifications): Share {
  return {
    vcpu: vcpu.value,
    memory: Math.round(ram.value * UNITS[ram.unit]),
    disk: Math.round(storage.value * UNITS[storage.unit]) + IMAGE_ROOM,
  }
}

/** Build Mode (decisions, "Machines"). */
export const BOOST = { cpu: 4, memory: 2, seconds: 15 * 60, pause: 60 * 60 }

/** The instance's settings in Incus for a share. */
export function limitConfig({
  vcpu,
  memory,
}: Pick<Share, 'vcpu' | 'memory'>): Record<string, string> {
  return { 'limits.cpu': String(vcpu), 'limits.memory': `${memory}B` }
}

/** Up to 4x CPU and 2x memory, never more than the host has. */
export function boosted(
  share: Pick<Share, 'vcpu' | 'memory'>,
  host: { cpuTotal: number; memoryTotal: number }
): Pick<Share, 'vcpu' | 'memory'> {
  const atMost = (wanted: number, there: number) => (there > 0 ? Math.min(wanted, there) : wanted)
  return {
    vcpu: Math.max(share.vcpu, atMost(share.vcpu * BOOST.cpu, host.cpuTotal)),
    memory: Math.max(
      share.memory,
      atMost(share.memory * BOOST.memory, Math.floor(host.memoryTotal / 2))
    ),
  }
}
