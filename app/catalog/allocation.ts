import type { Specifications } from '#catalog/models/server_package'

const BYTES_PER_GIB = 1024 ** 3
const BYTES_PER_MIB = 1024 ** 2
const BYTES_PER_UNIT = { MB: BYTES_PER_MIB, GB: BYTES_PER_GIB, TB: 1024 * BYTES_PER_GIB }

/** The image counts within the disk quota, so the root disk gets this much above the package. */
const IMAGE_BYTES = 2 * BYTES_PER_GIB

/**
 * Resources of an instance, in bytes. `disk` includes the image. `processes` is set only if the
 * package limits it.
 */
export interface Allocation {
  vcpu: number
  memory: number
  disk: number
  processes?: number | null
}

export function diskQuotaWithoutImage(quota: number): number {
  return Math.max(0, quota - IMAGE_BYTES)
}

export function allocationFromSpecifications({
  vcpu,
  ram,
  storage,
  processes,
}: Specifications): Allocation {
  return {
    vcpu: vcpu.value,
    memory: Math.round(ram.value * BYTES_PER_UNIT[ram.unit]),
    disk: Math.round(storage.value * BYTES_PER_UNIT[storage.unit]) + IMAGE_BYTES,
    ...(processes ? { processes: processes.value } : {}),
  }
}
