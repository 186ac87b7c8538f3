import { diskQuotaWithoutImage } from '#catalog/public'
import type ServerInstance from '#instances/models/server_instance'

/**
 * Returns how many bytes the instance can still write: at most the rest of its quota. `df` shows the free space of the
 * whole storage pool.
 * @param free as `df` reports it; null if unknown
 */
export function freeBytesWithinQuota(
  {
    diskBytes,
    imageBytes,
    diskUsed,
  }: Pick<ServerInstance, 'diskBytes' | 'imageBytes' | 'diskUsed'>,
  free: number | null
): number | null {
  if (diskUsed === null || diskBytes === 0) return free
  const rest = Math.max(0, diskQuotaWithoutImage({ diskBytes, imageBytes }) - diskUsed)
  return free === null ? rest : Math.min(free, rest)
}
