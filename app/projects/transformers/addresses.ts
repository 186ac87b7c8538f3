import type { Domain } from '#edge/public'
import type Project from '#projects/models/project'
import type { ProjectAddress } from '#projects/transformers/page_props'
import { forwardedInstancePort } from '#projects/virtual_host/site_to_serve'

/**
 * Returns the addresses of domains that serve the project. If its primary domain is not in `domains`, returns the
 * address of its forwarded host port, if it has one.
 * @param domains from `loadProjectDomains`
 */
export function projectAddresses(project: Project, domains: Domain[] = []): ProjectAddress[] {
  const { status, instance, virtualHost } = project
  if (status === 'deleted') return []
  if (domains.some(({ subdomain }) => subdomain === virtualHost?.subdomain)) {
    const redirected = virtualHost?.other_names?.filter(({ use }) => use === 'redirect') ?? []
    return domains
      .filter(({ subdomain }) => !redirected.some(({ name }) => name === subdomain))
      .map((domain) => ({
        // Until its certificate works, a domain is served over HTTP.
        url: `${domain.status === 'active' ? 'https' : 'http'}://${domain.subdomain}`,
        status: domain.status,
      }))
  }
  const port = forwardedInstancePort(project)
  const outer = port && instance.ports[port]
  return instance.ip && outer ? [{ url: `http://${instance.ip}:${outer}`, status: null }] : []
}
