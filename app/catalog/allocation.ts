import type { Specifications } from '#catalog/models/server_package'

const GIB = 1024 ** 3
const MIB = 1024 ** 2
const UNITS = { MB: MIB, GB: GIB, TB: 1024 * GIB }

/** The image counts within an instance's disk quota, so the root gets this much above the package. */
const IMAGE_ROOM = 2 * GIB

/**
 * What an instance gets: processors and bytes. `disk` holds the room for the image; `processes` is
 * there only where the package names a number.
 */
export interface Allocation {
  vcpu: number
  memory: number
  disk: number
  processes?: number | null
}

/** Bytes that a package allocates of a disk with this quota: what an instance writes itself. */
export function allocatedDisk(quota: number): number {
  return Math.max(0, quota - IMAGE_ROOM)
}

/** What a package allocates. */
export function allocationOf({ vcpu, ram, storage, processes }: Specifications): Allocation {
  return {
    vcpu: vcpu.value,
    memory: Math.round(ram.value * UNITS[ram.unit]),
    disk: Math.round(storage.value * UNITS[storage.unit]) + IMAGE_ROOM,
    ...(processes ? { processes: processes.value } : {}),
  }
}
