import { audit } from '#core/audit/audit'
import { AppError } from '#core/app_error'
import { defineSchedule } from '#core/schedules/schedules'
import { forEachLimit } from '#core/for_each_limit'
import { listEdgeSourceAddresses, findPublicEdgeAddress } from '#edge/public'
import { connectToActiveInstance } from '#guest/public'
import { listLocalHosts } from '#hosts/public'
import { type RestoreInfo, ServerInstance } from '#instances/public'
import Project from '#projects/models/project'
import {
  reservePreviewPort,
  openPreviewPort,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import { saveProjectError } from '#projects/operations/set_up'
import { applyStatusToProcesses } from '#projects/operations/apply_project_status'
import { syncWordpressAddressesAndSchedule } from '#projects/operations/sync_project_wordpress'
import { hasRunningOperation } from '#projects/queries/projects'
import { prepareApache } from '#projects/virtual_host/apply_site'
import { serverConfig } from '#packages/apache/main'
import type { Machine } from '#packages/machine/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { createHash } from 'node:crypto'

/** Instances per run, and how many are handled at once and for how long (ms). */
const INSTANCES_PER_ROUND = 20
const UPDATE_CONCURRENCY = { places: 4, timeoutMs: 60_000 }

/** How the version of a web server from a backup begins. The time up to which its disk contains deletions follows. */
const RESTORED_VERSION = 'restored'

/** Minutes before the next attempt at an instance that failed. */
const RETRY_MINUTES = 10

/**
 * Updates Apache's configuration on instances from earlier base images and on those with an old edge address.
 * Also applies their projects again, which closes projects that are not active and gives previews to those
 * without a virtual host.
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

/** Returns a hash of the configuration without the addresses that depend on the instance. */
async function presentVersion(): Promise<string> {
  const text = `${serverConfig([])}${await findPublicEdgeAddress()}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Updates the web server of one instance. */
export async function updateWebServer(instance: ServerInstance, version: string): Promise<void> {
  const row = await db.from('web_servers').where('server_instance_id', instance.id).first()
  const restoredVersion = row?.version?.startsWith(RESTORED_VERSION) ? String(row.version) : null
  await note(instance, restoredVersion)
  const machine = await connectToActiveInstance(instance)
  let isEdited = false
  let failure: AppError | null = null
  try {
    isEdited = await prepareApache(machine, await listEdgeSourceAddresses(instance))
  } catch (error) {
    if (restoredVersion === null || !(error instanceof AppError)) throw error
    // The folders and processes of a restored instance are closed although its web server is broken.
    failure = error
  }
  const projects = await Project.live().where('serverInstanceId', instance.id).preload('instance')
  const closed = new Set<number>()
  for (const project of projects) {
    // The running operation serves it.
    if (await hasRunningOperation(project)) continue
    try {
      await reservePreviewPort(project, machine)
      const isRemoved = await syncProjectSite(project, machine, null)
      await openPreviewPort(project)
      if (restoredVersion === null) continue
      await syncWordpressAddressesAndSchedule(project, machine)
      if (isRemoved) await auditClosing(project, closed)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
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
  await note(instance, `${version} ${instance.hostInstanceId}`)
}

/**
 * Projects that were deactivated or deleted after a backup are active on its disk: sites, processes, WordPress.
 * @param appliedAt Deletions before it are on the disk: what uses these folders now is the owner's own. `null`: unknown,
 *   therefore no deletion is repeated.
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
    if (done.has(key) || (await hasRunningOperation(project))) continue
    done.add(key)
    const closings = [async () => (await applyStatusToProcesses(project, machine)) > 0]
    if (project.status === 'deleted') closings.push(() => syncProjectSite(project, machine, null))
    for (const close of closings) {
      try {
        if (await close()) await auditClosing(project, closed)
      } catch (error) {
        // A PM2 that its owner broke must not keep the others open, nor repeat all of it every ten minutes.
        if (!(error instanceof AppError && error.code === 'machine_failed')) throw error
        await reportNotClosed(project, error)
      }
    }
  }
}

/** A deleted project has no page for the message. */
async function reportNotClosed(project: Project, error: AppError): Promise<void> {
  const { id, accountId, name, status } = project
  logger.warn({ err: error, project: id }, 'a project of a backup could not be closed')
  if (status !== 'deleted') return saveProjectError(id, error.message)
  const subject = { type: 'project' as const, id, label: name }
  const action = 'project.not_closed_after_restore'
  await audit({ actor: null, accountId, action, subject, after: { reason: error.message } })
}

/** @param closed the projects of this run that have an entry, by id; gets this one */
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
 * Has the web server of an instance set up again. Its inactive projects are closed only if it was certainly restored:
 * an instance of an earlier release lacks the mark too, and its owner may use a folder of a deleted project by hand.
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

async function note({ id }: ServerInstance, version: string | null): Promise<void> {
  await db
    .insertQuery()
    .table('web_servers')
    .insert({ server_instance_id: id, version, tried_at: new Date() })
    .onConflict('server_instance_id')
    .merge()
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
