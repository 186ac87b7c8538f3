import { diskQuotaWithoutImage } from '#catalog/public'
import { isIsolated } from '#instances/containers/isolation'
import { matchesLimits, isBoosted } from '#instances/containers/limits'
import type ServerInstance from '#instances/models/server_instance'
import type { Instance } from '#packages/incus/main'

/** How a container can differ from what is on record of it. */
export type ContainerDifference =
  /** It is there although its deletion has ended. */
  | 'leftover'
  /** It came after making it was given up. */
  | 'late'
  /** It was switched on or off from inside or by Incus' own tools. */
  | 'started'
  | 'stopped'
  /** It runs although it is suspended. */
  | 'runs'
  /** Its limits are not those that were allocated, or it is not kept apart as the others are. */
  | 'limits'

type RecordedInstance = Pick<
  ServerInstance,
  'status' | 'deletionAskedAt' | 'boostedUntil' | 'limits' | 'diskBytes' | 'diskUsed'
>

/** The first difference between a record and its container, as Incus lists it; null where they agree. */
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
 * The bytes that a disk returns to which was lent more so that its instance could start; null where
 * none was, or what is on it does not fit yet.
 */
export function diskQuotaToRestore(
  { diskBytes, diskUsed }: Pick<ServerInstance, 'diskBytes' | 'diskUsed'>,
  devices: Instance['devices']
): number | null {
  const lent = Number(devices.root?.size) > diskBytes
  return lent && diskUsed !== null && diskUsed < diskQuotaWithoutImage(diskBytes) ? diskBytes : null
}
