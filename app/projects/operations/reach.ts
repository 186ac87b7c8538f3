import { machineOf } from '#compute/public'
import type { StepContext } from '#core/operations/operations'
import Project from '#projects/models/project'
import { applySite } from '#projects/virtual_host/apply'
import { renderSite } from '#projects/virtual_host/render'
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
  const file = on
    ? { name: siteFile, text: renderSite({ id, path, virtualHost }), port: virtualHost.url_port }
    : null
  const old = file ? replaces : (replaces ?? siteFile)
  const isOurs = old && !(await isElsewhere(project, { siteFile: old }))
  await applySite(machine, { file, replaces: isOurs ? old : null })
}

/** Whether another project has it by now: paths and files of deleted projects are free again. */
export async function isElsewhere(
  { id, serverInstanceId }: Project,
  what: { path: string } | { siteFile: string }
): Promise<boolean> {
  const other = await Project.query()
    .where({ serverInstanceId, ...what })
    .whereNot('status', 'deleted')
    .whereNot('id', id)
    .first()
  return Boolean(other)
}
