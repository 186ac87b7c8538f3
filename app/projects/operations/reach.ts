import { closePort } from '#instances/public'
import type { StepContext } from '#core/operations/operations'
import { machineOf } from '#guest/public'
import { dropPools, servePool } from '#projects/machine/php'
import Project from '#projects/models/project'
import { hasPorts } from '#projects/states/project'
import { hasPort } from '#projects/queries/projects'
import { applySite } from '#projects/virtual_host/apply'
import { renderSite } from '#projects/virtual_host/render'
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
 * Brings the machine's site to what the database says of a project.
 * @param replaces the file that it had before, when that is another one
 */
export async function serveSite(
  project: Project,
  machine: Machine,
  replaces: string | null
): Promise<void> {
  const { id, path, virtualHost, siteFile, status } = project
  const on = status === 'active' && virtualHost && siteFile
  const isPhp = on && virtualHostTypes[virtualHost.type].php
  const phpVersion = isPhp ? await servePool(machine, id, virtualHost) : null
  const text = on && renderSite({ id, path, virtualHost, phpVersion })
  const file = text ? { name: siteFile!, text, port: virtualHost!.url_port } : null
  const old = file ? replaces : (replaces ?? siteFile)
  const isOurs = old && !(await isElsewhere(project, { siteFile: old }))
  await applySite(machine, { file, replaces: isOurs ? old : null })
  await dropPools(machine, id, phpVersion)
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
export async function closePortOf(project: Project, port: number): Promise<void> {
  if (!hasPorts(project.instance) || (await hasPort(project, port))) return
  await closePort(project.instance, port)
}
