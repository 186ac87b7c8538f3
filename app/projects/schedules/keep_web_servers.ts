import { audit } from '#core/audit/audit'
import { Refusal } from '#core/refusal'
import { defineSchedule } from '#core/schedules/schedules'
import { sideBySide } from '#core/side_by_side'
import { edgeSourcesFor, edgeTarget } from '#edge/public'
import { machineOf } from '#guest/public'
import { hostsHere } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import Project from '#projects/models/project'
import { givePreview, openPreview, serveSite } from '#projects/operations/reach'
import { noteError } from '#projects/operations/set_up'
import { isBusy } from '#projects/queries/projects'
import { prepareServer } from '#projects/virtual_host/apply'
import { serverConfig } from '#packages/apache/main'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { createHash } from 'node:crypto'

/** Instances of one round, how many of them at once, and how long one may keep the others waiting. */
const INSTANCES_PER_ROUND = 20
const PACE = { places: 4, patience: 60_000 }

/** Minutes until an instance that did not answer is tried again. */
const RETRY_MINUTES = 10

/**
 * Brings Apache to its present configuration on instances of earlier base images, or that know another
 * address of the edge. Their projects are served anew, so that one that is not active is shut and one
 * without a virtual host gets its preview.
 */
export async function keepWebServers(): Promise<void> {
  const version = await presentVersion()
  const due = await ServerInstance.query()
    .where('status', 'active')
    .whereIn('hostInstanceId', hostsHere().where('status', 'active').select('id'))
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
  await sideBySide(due, PACE, (instance) =>
    keepWebServer(instance, version).catch((error: unknown) =>
      logger.warn({ err: error, instance: instance.name }, 'its web server could not be changed')
    )
  )
}

/** A hash of what is written, but for addresses of an instance's own bridge. */
async function presentVersion(): Promise<string> {
  const text = `${serverConfig([])}${await edgeTarget()}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Does so on one instance. */
export async function keepWebServer(instance: ServerInstance, version: string): Promise<void> {
  await note(instance, null)
  const machine = await machineOf(instance)
  const isEdited = await prepareServer(machine, await edgeSourcesFor(instance))
  const projects = await Project.live().where('serverInstanceId', instance.id).preload('instance')
  for (const project of projects) {
    // The work that is under way serves it.
    if (await isBusy(project)) continue
    try {
      await givePreview(project, machine)
      await serveSite(project, machine, null)
      await openPreview(project)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await noteError(project.id, error.message)
    }
  }
  if (isEdited) await reportEditedDefault(instance)
  await note(instance, `${version} ${instance.hostInstanceId}`)
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
  label: 'Brings web servers of instances to their present configuration',
  every: 60,
  everywhere: true,
  run: keepWebServers,
})
