const BYTES_PER_GIB = 1024 ** 3
const MIN_POOL_BYTES = 5 * BYTES_PER_GIB
/** What the smallest pool should come to: one regular and one shared instance fit with room to spare. */
const PREFERRED_POOL_BYTES = 10 * BYTES_PER_GIB
/** What stays for the system, Berth's own data and the base image on a small disk. */
const RESERVED_DISK_BYTES = 4 * BYTES_PER_GIB

/**
 * Bytes of a new storage pool, in whole GiB: half of the free disk. Half of a small disk would hold
 * next to nothing, so that there instances get up to 10 GiB as long as 4 GiB stay for the rest.
 */
export function poolSizeFor(freeBytes: number): number {
  const size = Math.max(
    freeBytes / 2,
    Math.min(freeBytes - RESERVED_DISK_BYTES, PREFERRED_POOL_BYTES),
    MIN_POOL_BYTES
  )
  return Math.floor(size / BYTES_PER_GIB) * BYTES_PER_GIB
}
