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
import { syncProjectWordpress } from '#projects/operations/sync_project_wordpress'
import { hasRunningOperation } from '#projects/queries/projects'
import { prepareApache } from '#projects/virtual_host/apply_site'
import { serverConfig } from '#packages/apache/main'
import type { Machine } from '#packages/machine/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { createHash } from 'node:crypto'

/** Instances per run, and how many are handled at once and for how long (ms). */
const INSTANCES_PER_ROUND = 20
const UPDATE_CONCURRENCY = { places: 4, timeoutMs: 60_000 }

/** The version of a web server from a backup. */
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
  const isRestored = row?.version === RESTORED_VERSION
  await note(instance, isRestored ? RESTORED_VERSION : null)
  const machine = await connectToActiveInstance(instance)
  const isEdited = await prepareApache(machine, await listEdgeSourceAddresses(instance))
  const projects = await Project.live().where('serverInstanceId', instance.id).preload('instance')
  for (const project of projects) {
    // The running operation serves it.
    if (await hasRunningOperation(project)) continue
    try {
      await reservePreviewPort(project, machine)
      await syncProjectSite(project, machine, null)
      await openPreviewPort(project)
      if (isRestored) await syncProjectWordpress(project, machine)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await saveProjectError(project.id, error.message)
    }
  }
  if (isRestored) await closeInactiveProjects(instance, machine)
  if (isEdited) await reportEditedDefault(instance)
  await note(instance, `${version} ${instance.hostInstanceId}`)
}

/** Projects that were deactivated or deleted after a backup are active on its disk: sites, processes, WordPress. */
async function closeInactiveProjects({ id }: ServerInstance, machine: Machine): Promise<void> {
  const projects = await Project.query()
    .where('serverInstanceId', id)
    .whereNot('status', 'active')
    .preload('instance')
    .orderBy('id', 'desc')
  const done = new Set<string>()
  for (const project of projects) {
    const key = JSON.stringify([project.path, project.siteFile])
    if (done.has(key) || (await hasRunningOperation(project))) continue
    done.add(key)
    try {
      await applyStatusToProcesses(project, machine)
      if (project.status === 'deleted') await syncProjectSite(project, machine, null)
    } catch (error) {
      // A PM2 that its owner broke must not keep the others open, nor repeat all of it every ten minutes.
      if (!(error instanceof AppError && error.code === 'machine_failed')) throw error
      logger.warn({ err: error, project: project.id }, 'a project of a backup could not be closed')
      if (project.status !== 'deleted') await saveProjectError(project.id, error.message)
    }
  }
}

/**
 * Has the web server of an instance set up again. Its inactive projects are closed only if it was certainly restored:
 * an instance of an earlier release lacks the mark too, and its owner may use a folder of a deleted project by hand.
 */
export async function scheduleWebServerUpdate(
  { id }: Pick<ServerInstance, 'id'>,
  { isCertain }: Pick<RestoreInfo, 'isCertain'>
): Promise<void> {
  const version = isCertain ? RESTORED_VERSION : null
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
