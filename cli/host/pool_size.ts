const GIB = 1024 ** 3
const SMALLEST = 5 * GIB
/** What the smallest pool should come to: one regular and one shared instance fit with room to spare. */
const WANTED = 10 * GIB
/** What stays for the system, Berth's own data and the base image on a small disk. */
const KEPT = 4 * GIB

/**
 * Bytes of a new storage pool, in whole GiB: half of the free disk. Half of a small disk would hold
 * next to nothing, so that there instances get up to 10 GiB as long as 4 GiB stay for the rest.
 */
export function poolSizeFor(freeBytes: number): number {
  const size = Math.max(freeBytes / 2, Math.min(freeBytes - KEPT, WANTED), SMALLEST)
  return Math.floor(size / GIB) * GIB
}
