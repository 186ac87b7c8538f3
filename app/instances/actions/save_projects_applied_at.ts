import { incusClientFor } from '#hosts/public_effects'
import { getOwnContainer } from '#instances/containers/labels'
import {
  isRestorePartPending,
  saveProjectDeletionsAppliedAt,
} from '#instances/containers/reapply_recorded_settings'
import { withInstanceLock } from '#instances/instance_lock'
import { loadInstanceHost } from '#instances/instance_machines'
import type ServerInstance from '#instances/models/server_instance'
import type { DateTime } from 'luxon'

/** The part of a restore that the projects module handles, and repeats until it succeeds. */
const SITES_PART = 'sites'

/**
 * Saves a time in the container's config: the disk contains all project deletions before this time. Does nothing while
 * the part `sites` is pending after a restore, because that part needs the previously saved time.
 * @param findTime returns the time to save, or `null` to keep the saved one. Runs under the instance lock, so never
 * during a restore hook
 */
export async function saveProjectRecordsAppliedAt(
  instance: ServerInstance,
  findTime: () => Promise<DateTime | null>
): Promise<void> {
  // The lock keeps a concurrent resize from reading the disk limit, which the write may change briefly.
  await withInstanceLock(instance.id, async () => {
    const incus = incusClientFor(await loadInstanceHost(instance))
    const container = await getOwnContainer(incus, instance)
    if (isRestorePartPending(container, SITES_PART)) return
    const at = await findTime()
    if (at) await saveProjectDeletionsAppliedAt(incus, container.name, at)
  })
}
