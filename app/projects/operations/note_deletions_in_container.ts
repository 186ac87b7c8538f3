import type { ServerInstance } from '#instances/public'
import { saveProjectsAppliedAt } from '#instances/engine'
import { findDeletionInProgress } from '#projects/queries/projects'
import db from '@adonisjs/lucid/services/db'
import type { DateTime } from 'luxon'

/**
 * Prefix of the version stored for a web server that comes from a backup. A time may follow: the
 * disk contains all project deletions before it.
 */
export const RESTORED_VERSION = 'restored'

/** Returns the stored version if the sites of a restored disk are not closed yet, otherwise `null`. */
export async function findRestoredVersion({
  id,
}: Pick<ServerInstance, 'id'>): Promise<string | null> {
  const row = await db.from('web_servers').where('server_instance_id', id).first()
  return row?.version?.startsWith(RESTORED_VERSION) ? String(row.version) : null
}

/**
 * Stores a time in the container: its disk contains all project deletions before it. A restore then
 * repeats only later deletions, because the owner may use the folder of a deleted project by hand.
 * Does nothing if the disk was restored meanwhile: its sites must be closed first.
 * @param before time before which deletions are finished, except those whose operations still run
 * @param options.finished id of a deleted project whose operation is about to end
 * @param options.restoredVersion the version whose sites the caller has closed
 */
export function noteDeletionsInContainer(
  instance: ServerInstance,
  before: DateTime,
  { finished, restoredVersion = null }: { finished?: number; restoredVersion?: string | null } = {}
): Promise<void> {
  return saveProjectsAppliedAt(instance, async () => {
    if ((await findRestoredVersion(instance)) !== restoredVersion) return null
    const inProgress = await findDeletionInProgress(instance.id, finished)
    return inProgress && inProgress.updatedAt < before ? inProgress.updatedAt : before
  })
}
