import { absoluteWebPath } from '#guest/public'
import {
  setWordpressAddresses,
  setWordpressSchedule,
  type WordpressLocation,
} from '#projects/machine/wordpress'
import type Project from '#projects/models/project'
import { loadProjectDomains } from '#projects/queries/projects'
import { projectAddresses } from '#projects/transformers/addresses'
import type { Machine } from '#packages/machine/main'

export function wordpressLocation({ id, path }: Pick<Project, 'id' | 'path'>): WordpressLocation {
  return { folder: absoluteWebPath(path), database: `wordpress${id}` }
}

export async function syncWordpressAddressesAndSchedule(
  project: Project,
  machine: Machine
): Promise<void> {
  if (project.stack !== 'wordpress') return
  const { folder } = wordpressLocation(project)
  const isActive = project.status === 'active'
  await setWordpressSchedule(machine, project.id, isActive ? folder : null)
  const urls = await urlsOf(project)
  if (isActive && urls.length) await setWordpressAddresses(machine, folder, urls)
}

/** A domain always has `https:`, so that links are correct as soon as its certificate exists. */
async function urlsOf(project: Project): Promise<string[]> {
  // Reloads the instance, because its host port may be new.
  await project.load('instance')
  const domains = (await loadProjectDomains([project])).get(project.id)
  return projectAddresses(project, domains).map(({ url, status }) =>
    status === null ? url : url.replace(/^http:/, 'https:')
  )
}
