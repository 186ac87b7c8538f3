import { incusClientFor } from '#hosts/public'
import { getOwnContainer } from '#instances/containers/labels'
import {
  needsRecordedSettingsReapplied,
  saveRecordsAppliedAt,
} from '#instances/containers/reapply_recorded_settings'
import { loadInstanceHost } from '#instances/instance_machines'
import type ServerInstance from '#instances/models/server_instance'
import type { DateTime } from 'luxon'

/**
 * Notes in the container of an instance that its disk contains all deletions of projects before a time
 * (`RestoreInfo.recordsAppliedAt`). Does nothing if the disk was restored and Berth has not applied the records yet: the
 * time of that disk is still needed.
 */
export async function saveProjectsAppliedAt(instance: ServerInstance, at: DateTime): Promise<void> {
  const incus = incusClientFor(await loadInstanceHost(instance))
  const container = await getOwnContainer(incus, instance)
  if (needsRecordedSettingsReapplied(container)) return
  await saveRecordsAppliedAt(incus, container.name, at)
}
