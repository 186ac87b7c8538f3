import { audit } from '#core/audit/audit'
import { AppError } from '#core/app_error'
import { LockUnavailableError } from '#core/locks'
import { defineSchedule } from '#core/schedules/schedules'
import { forEachLimit } from '#core/for_each_limit'
import { edgeHeaderPrefix, findPublicEdgeAddress, getTrustedEdge } from '#edge/public'
import { connectToActiveInstance } from '#instances/public_effects'
import { listLocalHosts } from '#hosts/public'
import { type RestoreInfo, ServerInstance } from '#instances/public'
import {
  noteDeletionsInContainer,
  queryUnchangedWebServer,
  RESTORED_VERSION,
} from '#projects/operations/note_deletions_in_container'
import { installLogRotation, logRotationVersion } from '#projects/machine/log_rotation'
import Project from '#projects/models/project'
import {
  reservePreviewPort,
  openPreviewPort,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import { saveProjectError } from '#projects/operations/set_up'
import { applyStatusToProcesses } from '#projects/operations/apply_project_status'
import { syncWordpressAddressesAndSchedule } from '#projects/operations/sync_wordpress_addresses_and_schedule'
import { hasUnfinishedOperation } from '#projects/queries/projects'
import { prepareApache } from '#projects/virtual_host/apply_site'
import { maxPhpWorkers, renderPool } from '#projects/virtual_host/php_pool'
import { APACHE_MODULES, serverConfig } from '#packages/apache/main'
import type { Machine } from '#packages/machine/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { createHash } from 'node:crypto'

const INSTANCES_PER_ROUND = 20
/**
 * Updates up to `places` instances at once. An update that takes longer than `timeoutMs` continues, but the next one
 * can begin.
 */
const UPDATE_CONCURRENCY = { places: 4, timeoutMs: 60_000 }

const RETRY_MINUTES = 10

/**
 * Updates the web server of instances that have an outdated configuration (Apache, PHP pool, log
 * rotation, edge address) or moved to another host, and applies their projects again. This removes
 * sites of inactive projects, and opens preview ports for projects without a virtual host.
 */
export async function updateWebServers(): Promise<void> {
  const version = await presentVersion()
  const due = await ServerInstance.query()
    .where('status', 'active')
    .whereIn('hostInstanceId', listLocalHosts().where('status', 'active').select('id'))
    .whereNotExists((query) =>
      query
        .from('web_servers')
        .whereColumn('server_instance_id', 'server_instances.id')
        .whereRaw(
          `(version = ? || ' ' || host_instance_id or tried_at > now() - make_interval(mins => ?))`,
          [version, RETRY_MINUTES]
        )
    )
    .orderBy('id')
    .limit(INSTANCES_PER_ROUND)
  await forEachLimit(due, UPDATE_CONCURRENCY, (instance) =>
    updateWebServer(instance, version).catch((error: unknown) =>
      logger.warn(
        { err: error, instance: instance.name },
        'the web server of an instance could not be updated'
      )
    )
  )
}

const SAMPLE_MEMORY_BYTES = 1024 ** 3

/** Returns a hash of the configuration without the values that differ per instance. */
async function presentVersion(): Promise<string> {
  const workers = maxPhpWorkers(SAMPLE_MEMORY_BYTES)
  const pool = renderPool(0, '0.0', { host: null, workers })
  const sampleEdge = { addresses: ['192.0.2.1'], headerPrefix: edgeHeaderPrefix(0) }
  const text = `${APACHE_MODULES.join()}${serverConfig(sampleEdge)}${await findPublicEdgeAddress()}${pool}${logRotationVersion}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export async function updateWebServer(instance: ServerInstance, version: string): Promise<void> {
  const began = DateTime.utc()
  const storedVersion = await noteAttempt(instance)
  const restoredVersion = storedVersion?.startsWith(RESTORED_VERSION) ? storedVersion : null
  const machine = await connectToActiveInstance(instance)
  let isEdited = false
  let failure: AppError | null = null
  try {
    isEdited = await prepareApache(machine, await getTrustedEdge(instance))
  } catch (error) {
    if (restoredVersion === null || !(error instanceof AppError)) throw error
    // If the instance was restored, its inactive projects must be closed although the web server is broken. Throws the
    // error afterwards.
    failure = error
  }
  const projects = await Project.live().where('serverInstanceId', instance.id).preload('instance')
  const closed = new Set<number>()
  for (const project of projects) {
    if (await hasUnfinishedOperation(project)) continue
    try {
      await reservePreviewPort(project, machine)
      const isRemoved = await syncProjectSite(project, machine, null)
      await openPreviewPort(project)
      if (restoredVersion === null) continue
      await syncWordpressAddressesAndSchedule(project, machine)
      if (isRemoved && project.status !== 'active') await auditClosing(project, closed)
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof LockUnavailableError) throw error
      await saveProjectError(project.id, error.message)
    }
  }
  if (restoredVersion !== null)
    await closeInactiveProjects(instance, machine, {
      appliedAt: parseRestoredVersion(restoredVersion),
      closed,
    })
  if (failure) throw failure
  if (isEdited) await reportEditedDefault(instance)
  // Comes after the closing of projects: only now does the restored disk contain the deletions before `began`.
  if (restoredVersion !== null) await noteDeletionsInContainer(instance, began, { restoredVersion })
  // Comes after the other steps, which must run even if this one fails on a full disk.
  await installLogRotation(machine)
  // Saves nothing if the disk was restored during this run, so that the update runs again.
  await queryUnchangedWebServer(instance, storedVersion).update({
    version: `${version} ${instance.hostInstanceId}`,
    tried_at: new Date(),
  })
}

/**
 * Closes projects that were deactivated or deleted after the backup, and are active again on the restored disk.
 * @param appliedAt the disk contains the deletions before this time, so they are not repeated: the owner may use their
 * folders again. `null`: unknown, so no deletion is repeated.
 */
async function closeInactiveProjects(
  { id }: ServerInstance,
  machine: Machine,
  { appliedAt, closed }: { appliedAt: DateTime | null; closed: Set<number> }
): Promise<void> {
  const projects = await Project.query()
    .where('serverInstanceId', id)
    .where((query) => {
      query.whereIn('status', ['inactive', 'suspended'])
      if (appliedAt)
        query.orWhere((deleted) =>
          deleted.where('status', 'deleted').where('updatedAt', '>=', appliedAt.toSQL()!)
        )
    })
    .preload('instance')
    .orderBy('id', 'desc')
  const done = new Set<string>()
  for (const project of projects) {
    const key = JSON.stringify([project.path, project.siteFile])
    if (done.has(key) || (await hasUnfinishedOperation(project))) continue
    done.add(key)
    const closings = [async () => (await applyStatusToProcesses(project, machine)) > 0]
    if (project.status === 'deleted') closings.push(() => syncProjectSite(project, machine, null))
    for (const close of closings) {
      try {
        if (await close()) await auditClosing(project, closed)
      } catch (error) {
        // If the owner broke PM2, the other projects must still be closed. A thrown error would also repeat the whole
        // update every ten minutes.
        if (!(error instanceof AppError && error.code === 'machine_failed')) throw error
        await reportNotClosed(project, error)
      }
    }
  }
}

/** Saves the message for the project's page. For a deleted project, adds an audit entry instead. */
async function reportNotClosed(project: Project, error: AppError): Promise<void> {
  const { id, accountId, name, status } = project
  logger.warn({ err: error, project: id }, 'a project in a restored instance could not be closed')
  if (status !== 'deleted') return saveProjectError(id, error.message)
  const subject = { type: 'project' as const, id, label: name }
  const action = 'project.not_closed_after_restore'
  // The update is repeated every ten minutes while the web server is broken. One audit entry per day is enough.
  const since = DateTime.utc().minus({ days: 1 }).toSQL()
  const reported = await db
    .from('audit_entries')
    .where({ action, subject_id: String(id) })
    .where('created_at', '>', since)
    .first()
  if (reported) return
  await audit({ actor: null, accountId, action, subject, after: { reason: error.message } })
}

/**
 * Adds an audit entry for a closed project, once per run.
 * @param closed ids of the projects that already have an entry in this run; this function adds the project's id
 */
async function auditClosing(
  { id, accountId, name, status }: Project,
  closed: Set<number>
): Promise<void> {
  if (closed.has(id)) return
  closed.add(id)
  const subject = { type: 'project' as const, id, label: name }
  const action = 'project.closed_after_restore'
  await audit({ actor: null, accountId, action, subject, after: { status } })
}

function parseRestoredVersion(version: string): DateTime | null {
  const at = DateTime.fromISO(version.slice(RESTORED_VERSION.length).trim())
  return at.isValid ? at : null
}

/**
 * Schedules an update of the web server. Marks its disk as restored only if that is certain. An instance of an earlier
 * release looks restored too, and its owner may use the folder of a deleted project again.
 */
export async function scheduleWebServerUpdate(
  { id }: Pick<ServerInstance, 'id'>,
  { isCertain, recordsAppliedAt }: Pick<RestoreInfo, 'isCertain' | 'recordsAppliedAt'>
): Promise<void> {
  const time = recordsAppliedAt?.toUTC().toISO() ?? ''
  const version = isCertain ? `${RESTORED_VERSION} ${time}`.trim() : null
  await db
    .insertQuery()
    .table('web_servers')
    .insert({ server_instance_id: id, version, tried_at: new Date(0) })
    .onConflict('server_instance_id')
    .merge()
}

/** Returns the stored version. */
async function noteAttempt({ id }: ServerInstance): Promise<string | null> {
  const [{ version }] = await db
    .insertQuery<{ version: string | null }>()
    .table('web_servers')
    .insert({ server_instance_id: id, version: null, tried_at: new Date() })
    .onConflict('server_instance_id')
    .merge(['tried_at'])
    .returning('version')
  return version
}

function reportEditedDefault({ id, accountId, name }: ServerInstance): Promise<void> {
  const subject = { type: 'server_instance' as const, id, label: name }
  return audit({ actor: null, accountId, action: 'project.default_site_edited', subject })
}

export default defineSchedule({
  name: 'projects.web-servers',
  label: 'Updates the configuration of web servers on instances',
  every: 60,
  everywhere: true,
  run: updateWebServers,
})
