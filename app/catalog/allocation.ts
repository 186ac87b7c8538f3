import type { Specifications } from '#catalog/models/server_package'

const BYTES_PER_GIB = 1024 ** 3
const BYTES_PER_MIB = 1024 ** 2
const BYTES_PER_UNIT = { MB: BYTES_PER_MIB, GB: BYTES_PER_GIB, TB: 1024 * BYTES_PER_GIB }

/**
 * Disk space for the base image in addition to the package's disk, because the instance's quota
 * counts the image too (btrfs: `referenced`). The image of `cli/host/base_image_recipe.ts` takes
 * 477 MiB. The rest is for the journal (32 MiB), other file systems, and larger images. The whole
 * reserve counts as allocated, because an instance shares the image's blocks only until it changes
 * them.
 */
export const IMAGE_RESERVE_BYTES = 768 * BYTES_PER_MIB
/** The image reserve before decision 0085. Older instances keep it until a resize to a package with a smaller disk. */
export const EARLIER_IMAGE_RESERVE_BYTES = 2 * BYTES_PER_GIB

/**
 * `memory` and `disk` are in bytes, and `disk` includes the image reserve. `processes` is set only if the package
 * limits it.
 */
export interface Allocation {
  vcpu: number
  memory: number
  disk: number
  processes?: number | null
}

/** In bytes, as the instance's package states it. */
export function diskQuotaWithoutImage({
  diskBytes,
  imageBytes,
}: {
  diskBytes: number
  imageBytes: number
}): number {
  return Math.max(0, diskBytes - imageBytes)
}

export function allocationFromSpecifications({
  vcpu,
  ram,
  storage,
  processes,
}: Specifications): Allocation & { image: number } {
  return {
    vcpu: vcpu.value,
    memory: Math.round(ram.value * BYTES_PER_UNIT[ram.unit]),
    disk: Math.round(storage.value * BYTES_PER_UNIT[storage.unit]) + IMAGE_RESERVE_BYTES,
    image: IMAGE_RESERVE_BYTES,
    ...(processes ? { processes: processes.value } : {}),
  }
}

/**
 * The instance keeps its image reserve unless the package's disk shrinks. With a smaller reserve, the disk's quota
 * could shrink although the package has a larger disk.
 */
export function allocationAfterResize(
  specifications: Specifications,
  own: { diskBytes: number; imageBytes: number }
): Allocation & { image: number } {
  const allocation = allocationFromSpecifications(specifications)
  const promised = allocation.disk - allocation.image
  if (promised < diskQuotaWithoutImage(own)) return allocation
  return { ...allocation, disk: promised + own.imageBytes, image: own.imageBytes }
}
