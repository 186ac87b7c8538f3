import type Project from '#projects/models/project'
import { findAppPort } from '#projects/queries/projects'
import { stacks } from '#projects/stacks'
import { sitePort } from '#projects/virtual_host/virtual_host_types'
import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'

/** Preview ports are higher than this number. */
export const FIRST_PREVIEW_PORT = 42_000

export interface ServedSite {
  virtualHost: VirtualHost
  siteFile: string
}

/** Null if the project has no preview. */
export function previewSiteFileName({ previewPort }: Pick<Project, 'previewPort'>): string | null {
  return previewPort ? `port_${previewPort}.conf` : null
}

/**
 * Returns the virtual host, or the preview if there is no virtual host. Null if there is neither, if visitors reach
 * the app at its own port, or if the app's port is unknown.
 */
export async function findSiteToServe(project: Project): Promise<ServedSite | null> {
  const { virtualHost, siteFile, stack, previewPort } = project
  if (virtualHost) return siteFile ? { virtualHost, siteFile } : null
  if (!previewPort) return null
  const { process: isApp, needs } = stacks[stack]
  const appPort = isApp ? await findAppPort(project) : null
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
  return { virtualHost: preview, siteFile: previewSiteFileName(project)! }
}

/**
 * Returns the port inside the instance to which the project's host port is forwarded. Null if the project has a domain,
 * or neither virtual host nor preview.
 */
export function forwardedInstancePort({
  virtualHost,
  previewPort,
}: Pick<Project, 'virtualHost' | 'previewPort'>): number | null {
  return virtualHost ? sitePort(virtualHost) : previewPort
}
