import { diskQuotaWithoutImage } from '#catalog/public'
import type ServerInstance from '#instances/models/server_instance'

/**
 * Limits the free bytes that `df` reports in an instance to the rest of its quota, as last measured.
 * `df` shows the free space of the whole storage pool.
 * @param free null if `df` could not be read
 */
export function freeBytesWithinQuota(
  { diskBytes, diskUsed }: Pick<ServerInstance, 'diskBytes' | 'diskUsed'>,
  free: number | null
): number | null {
  if (diskUsed === null || Number(diskBytes) === 0) return free
  const rest = Math.max(0, diskQuotaWithoutImage(Number(diskBytes)) - Number(diskUsed))
  return free === null ? rest : Math.min(free, rest)
}
