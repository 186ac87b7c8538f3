import type { StepContext } from '#core/operations/operations'
import { edgeSourcesFor } from '#edge/public'
import { machineOf } from '#guest/public'
import { closePort, openPort } from '#instances/public'
import { freePort, setFolderShut } from '#projects/machine/folder'
import { dropPools, servePool } from '#projects/machine/php'
import Project from '#projects/models/project'
import { hasPorts } from '#projects/states/project'
import { hasPort } from '#projects/queries/projects'
import { applySite, prepareServer } from '#projects/virtual_host/apply'
import {
  FIRST_PREVIEW_PORT,
  previewFileOf,
  reachedPortOf,
  siteOf,
} from '#projects/virtual_host/preview'
import { renderSite } from '#projects/virtual_host/render'
import { portOf } from '#projects/virtual_host/rules'
import { virtualHostTypes } from '#projects/virtual_host/types'
import type { Machine } from '#packages/machine/main'

/** Input of every operation on a project. */
export interface ProjectWork {
  projectId: number
  /** Whether an earlier try had found the folder empty: what is in it now is then Berth's own. */
  fresh?: boolean
}

/** The project and its machine as they are now. */
export async function reach({
  projectId,
}: ProjectWork): Promise<{ project: Project; machine: Machine }> {
  const project = await Project.query().where('id', projectId).preload('instance').firstOrFail()
  return { project, machine: await machineOf(project.instance) }
}

/** What long commands need of a step. */
export function progressOf({ signal, tell }: StepContext) {
  return { signal, tell: (line: string) => tell(line.slice(0, 200)) }
}

/**
 * Brings the machine's site to what the database says of a project. A project that is not active is
 * served by nothing: no site, no port of the host, and a folder that the web server cannot enter.
 * @param replaces the file that it had before, when that is another one
 */
export async function serveSite(
  project: Project,
  machine: Machine,
  replaces: string | null
): Promise<void> {
  const { id, path, stack, status, instance } = project
  const isActive = status === 'active'
  // First of all, so that a web server that refuses its configuration keeps nothing open.
  await settleFolders(project, machine)
  const port = reachedPortOf(project)
  if (port && !isActive) await closePortOf(project, port, { keepsLease: status !== 'deleted' })
  await prepareServer(machine, await edgeSourcesFor(instance))
  const planned = await siteOf(project)
  const site = isActive ? planned : null
  const isPhp = site && virtualHostTypes[site.virtualHost.type].php
  const phpVersion = isPhp ? await servePool(machine, id, site.virtualHost) : null
  const file = site && {
    name: site.siteFile,
    text: renderSite({ id, path, stack, virtualHost: site.virtualHost, phpVersion }),
    port: site.virtualHost.url_port,
  }
  const old = file ? replaces : (replaces ?? planned?.siteFile ?? previewFileOf(project))
  const isOurs = old && !(await isElsewhere(project, { siteFile: old }))
  await applySite(machine, { file, replaces: isOurs ? old : null })
  await dropPools(machine, id, phpVersion)
}

/**
 * Gives a project a preview address while it has no virtual host, where its instance has ports.
 * Nothing is served there yet: `serveSite` and `openPreview` come after it.
 */
export async function givePreview(project: Project, machine: Machine): Promise<void> {
  const { instance, virtualHost, previewPort, serverInstanceId } = project
  if (virtualHost || previewPort || !hasPorts(instance)) return
  const others = await Project.live().where({ serverInstanceId })
  const taken = new Set(
    others.flatMap(({ virtualHost: host, previewPort: port }) => [port, host && portOf(host)])
  )
  let port = FIRST_PREVIEW_PORT
  for (;;) {
    do port = await freePort(machine, port + 1)
    while (taken.has(port))
    try {
      await Project.query().where('id', project.id).update({ previewPort: port })
      await project.refresh()
      return
    } catch (error) {
      // Another project of the instance was faster.
      if ((error as { constraint?: string }).constraint !== 'projects_preview_port') throw error
    }
  }
}

/** Makes a port of the host lead to a project's preview; null where nothing is served there. */
export async function openPreview(project: Project): Promise<string | null> {
  const { instance, virtualHost, previewPort, status } = project
  if (virtualHost || !previewPort || status !== 'active' || !(await siteOf(project))) return null
  const outer = await openPort(instance, previewPort)
  return `http://${instance.ip}:${outer}`
}

/**
 * Shuts the folders of this project and of those around it that are not active, or opens them. A
 * folder stays open while an active project is in it, because that one's visitors come through it.
 */
async function settleFolders(project: Project, machine: Machine): Promise<void> {
  const { id, serverInstanceId, path } = project
  const around = await Project.live()
    .where({ serverInstanceId })
    .whereNot('id', id)
    .whereRaw(`starts_with(?, path || '/')`, [path])
  for (const one of [...around, project]) {
    const active = await Project.query()
      .where({ serverInstanceId, status: 'active' })
      .whereRaw(`(path = ? or starts_with(path, ?))`, [one.path, `${one.path}/`])
      .first()
    await setFolderShut(machine, one, !active)
  }
}

/** Whether another project has it by now: paths and files of deleted projects are free again. */
export async function isElsewhere(
  { id, serverInstanceId }: Project,
  what: { path: string } | { siteFile: string }
): Promise<boolean> {
  const other = await Project.live()
    .where({ serverInstanceId, ...what })
    .whereNot('id', id)
    .first()
  return Boolean(other)
}

/** Ends that a port of the host leads to the project's, unless another project is reached there. */
export async function closePortOf(
  project: Project,
  port: number,
  options?: { keepsLease: boolean }
): Promise<void> {
  if (!hasPorts(project.instance) || (await hasPort(project, port))) return
  await closePort(project.instance, port, options)
}
