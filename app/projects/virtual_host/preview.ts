import type Project from '#projects/models/project'
import { appPortOf } from '#projects/queries/projects'
import { stacks } from '#projects/stacks'
import { portOf } from '#projects/virtual_host/rules'
import type { VirtualHost } from '#projects/virtual_host/types'

/** The first port inside an instance that a preview may have. */
export const FIRST_PREVIEW_PORT = 42_000

/** What Apache serves of a project, and the file of it. */
export interface Site {
  virtualHost: VirtualHost
  siteFile: string
}

/** Returns the file of a project's preview; null while it has none. */
export function previewFileOf({ previewPort }: Pick<Project, 'previewPort'>): string | null {
  return previewPort ? `port_${previewPort}.conf` : null
}

/**
 * Returns what Apache is to serve of a project: its virtual host, or a preview by port while it has
 * none. Null for an app that visitors reach at its own port, one whose port is not known, and a
 * project that has neither.
 */
export async function siteOf(project: Project): Promise<Site | null> {
  const { virtualHost, siteFile, stack, previewPort } = project
  if (virtualHost) return siteFile ? { virtualHost, siteFile } : null
  if (!previewPort) return null
  const { process: isApp, needs } = stacks[stack]
  const appPort = isApp ? await appPortOf(project) : null
  if (isApp && !appPort) return null
  const preview: VirtualHost = {
    type: isApp ? 'reverse_proxy' : needs.length ? 'php' : 'static',
    url_type: 'port',
    server_admin: 'webmaster@localhost',
    entry_point: '',
    reverse_proxy_port: appPort,
    subdomain: null,
    url_port: previewPort,
  }
  return { virtualHost: preview, siteFile: previewFileOf(project)! }
}

/** Returns the port of the instance that a port of its host leads to for this project. */
export function reachedPortOf({
  virtualHost,
  previewPort,
}: Pick<Project, 'virtualHost' | 'previewPort'>): number | null {
  return virtualHost ? portOf(virtualHost) : previewPort
}
