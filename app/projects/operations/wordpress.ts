import { folderOf } from '#guest/public'
import {
  addressWordpress,
  scheduleWordpress,
  type WordpressPlace,
} from '#projects/machine/wordpress'
import type Project from '#projects/models/project'
import { domainsOf } from '#projects/queries/projects'
import { addressesOf } from '#projects/transformers/addresses'
import type { Machine } from '#packages/machine/main'

/** Where a project's WordPress and its data are. */
export function wordpressPlace({ id, path }: Pick<Project, 'id' | 'path'>): WordpressPlace {
  return { folder: folderOf(path), database: `wordpress${id}` }
}

/** Makes a project's WordPress follow the addresses and the status that the project has now. */
export async function serveWordpress(project: Project, machine: Machine): Promise<void> {
  if (project.stack !== 'wordpress') return
  const { folder } = wordpressPlace(project)
  const isActive = project.status === 'active'
  await scheduleWordpress(machine, project.id, isActive ? folder : null)
  const urls = await urlsOf(project)
  if (isActive && urls.length) await addressWordpress(machine, folder, urls)
}

/** Where visitors reach it. A domain has its certificate soon, and links are to lead there by then. */
async function urlsOf(project: Project): Promise<string[]> {
  // A port of its host may have been opened a moment ago.
  await project.load('instance')
  const domain = (await domainsOf([project])).get(project.id)
  return addressesOf(project, domain).map(({ url, status }) =>
    status === null ? url : url.replace(/^http:/, 'https:')
  )
}
