import type { ServerInstance } from '#instances/public'
import { saveProjectRecordsAppliedAt } from '#instances/public_effects'
import { findDeletionInProgress } from '#projects/queries/projects'
import db from '@adonisjs/lucid/services/db'
import type { DateTime } from 'luxon'

/**
 * Beginning of the stored version of a web server whose disk was restored from a backup. An ISO time may follow: the
 * disk contains all project deletions before that time.
 */
export const RESTORED_VERSION = 'restored'

/**
 * Finds the web server's row only if no restore has changed it since `version` was read. A restore sets `tried_at` to
 * 0, because two restores of one backup have the same version.
 */
export function queryUnchangedWebServer(instance: ServerInstance, version: string | null) {
  return queryWebServer(instance)
    .where('tried_at', '>', new Date(0))
    .whereRaw('version is not distinct from ?::text', [version as string])
}

const queryWebServer = ({ id }: ServerInstance) =>
  db.from('web_servers').where('server_instance_id', id)

/**
 * Stores a time in the container. The container's disk contains the project deletions before that time. A restore then
 * repeats only later deletions, because the owner may use the folder of a deleted project again. Does nothing if the
 * disk was restored meanwhile, because its sites must be closed first.
 * @param before deletions before this time are finished, except those whose operations still run
 * @param options.finished id of a deleted project whose operation is about to end
 * @param options.restoredVersion the version whose sites the caller has closed
 */
export function noteDeletionsInContainer(
  instance: ServerInstance,
  before: DateTime,
  { finished, restoredVersion = null }: { finished?: number; restoredVersion?: string | null } = {}
): Promise<void> {
  return saveProjectRecordsAppliedAt(instance, async () => {
    const isClosed = restoredVersion
      ? await queryUnchangedWebServer(instance, restoredVersion).first()
      : !(await queryWebServer(instance).whereLike('version', `${RESTORED_VERSION}%`).first())
    if (!isClosed) return null
    const inProgress = await findDeletionInProgress(instance.id, finished)
    return inProgress && inProgress.updatedAt < before ? inProgress.updatedAt : before
  })
}
