import { diskQuotaWithoutImage } from '#catalog/public'
import { isIsolated } from '#instances/containers/isolation'
import { matchesLimits, isBoosted } from '#instances/containers/limits'
import type ServerInstance from '#instances/models/server_instance'
import type { Instance } from '#packages/incus/main'

export type ContainerDifference =
  /** The container still exists although the instance is deleted. */
  | 'leftover'
  /** The container appeared after its creation was recorded as failed. */
  | 'late'
  /**
   * The container was started or stopped inside the instance or with Incus's own tools, so the recorded status is
   * wrong.
   */
  | 'started'
  | 'stopped'
  /** The instance runs although it is suspended. */
  | 'runs'
  /** The limits differ from the allocation, isolation settings are missing, or an enlarged disk can shrink again. */
  | 'limits'

type RecordedInstance = Pick<
  ServerInstance,
  'status' | 'deletionAskedAt' | 'boostedUntil' | 'limits' | 'diskBytes' | 'imageBytes' | 'diskUsed'
>

/** Returns null if they match, and for instances that are being created or deleted. */
export function findContainerDifference(
  row: RecordedInstance,
  container: Instance
): ContainerDifference | null {
  const { status, deletionAskedAt } = row
  const running = container.status === 'Running'
  if (status === 'deleted') return 'leftover'
  if (deletionAskedAt) return null
  if (status === 'failed') return 'late'
  if (status === 'active' && !running) return 'stopped'
  if (status === 'stopped' && running) return 'started'
  if (status === 'suspended' && container.status !== 'Stopped') return 'runs'
  if (status !== 'active' && status !== 'stopped') return null
  return hasAllocation(row, container) ? null : 'limits'
}

function hasAllocation(row: RecordedInstance, { config, devices }: Instance): boolean {
  const { limits, boostedUntil, status } = row
  if (boostedUntil || limits.vcpu <= 0) return true
  if (
    isBoosted(config) ||
    !matchesLimits(config, limits) ||
    !isIsolated(config, status === 'stopped')
  )
    return false
  return diskQuotaToRestore(row, devices) === null
}

/**
 * Returns the quota in bytes to which a temporarily enlarged disk can shrink. Null: the disk was
 * not enlarged, its data does not fit yet, or its usage is unknown.
 */
export function diskQuotaToRestore(
  {
    diskBytes,
    imageBytes,
    diskUsed,
  }: Pick<ServerInstance, 'diskBytes' | 'imageBytes' | 'diskUsed'>,
  devices: Instance['devices']
): number | null {
  const lent = Number(devices.root?.size) > diskBytes
  const fits = diskUsed !== null && diskUsed < diskQuotaWithoutImage({ diskBytes, imageBytes })
  return lent && fits ? diskBytes : null
}
