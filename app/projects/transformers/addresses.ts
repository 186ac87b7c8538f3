import type { Domain } from '#edge/public'
import type Project from '#projects/models/project'
import type { ProjectAddress } from '#projects/transformers/page_props'
import { forwardedInstancePort } from '#projects/virtual_host/site_to_serve'

/** Returns the domain, or else the host port that is forwarded to the project. */
export function projectAddresses(project: Project, domain: Domain | undefined): ProjectAddress[] {
  const { status, instance } = project
  if (status === 'deleted') return []
  if (domain) {
    // A domain is served over HTTP until its certificate works.
    const scheme = domain.status === 'active' ? 'https' : 'http'
    return [{ url: `${scheme}://${domain.subdomain}`, status: domain.status }]
  }
  const port = forwardedInstancePort(project)
  const outer = port && instance.ports[port]
  return instance.ip && outer ? [{ url: `http://${instance.ip}:${outer}`, status: null }] : []
}
