const BYTES_PER_GIB = 1024 ** 3
const MIN_POOL_BYTES = 5 * BYTES_PER_GIB
/** Pool size to reach on a small disk: enough for one regular and one shared instance. */
const PREFERRED_POOL_BYTES = 10 * BYTES_PER_GIB
/** Space to leave free on a small disk, for the system, Berth's own data and the base image. */
const RESERVED_DISK_BYTES = 4 * BYTES_PER_GIB

/**
 * Returns the size of a new storage pool in bytes, rounded down to whole GiB: half of the free disk space, but at least
 * 5 GiB. On a small disk, up to 10 GiB if 4 GiB stay free.
 */
export function poolSizeFor(freeBytes: number): number {
  const size = Math.max(
    freeBytes / 2,
    Math.min(freeBytes - RESERVED_DISK_BYTES, PREFERRED_POOL_BYTES),
    MIN_POOL_BYTES
  )
  return Math.floor(size / BYTES_PER_GIB) * BYTES_PER_GIB
}
