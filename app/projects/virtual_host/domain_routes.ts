import { type ProjectDomainRoutes, setDomainRoutes } from '#edge/public'
import { APACHE_TLS_PORT } from '#packages/apache/main'
import Project from '#projects/models/project'
import type { AdditionalDomain, VirtualHost } from '#projects/virtual_host/virtual_host_types'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** While a project is not active, its domains do not redirect, and the web server answers 404. */
export function additionalDomainRoutes(
  host: VirtualHost,
  isActive: boolean
): Omit<ProjectDomainRoutes, 'main'> {
  const others = host.other_names ?? []
  const isRedirected = ({ use }: AdditionalDomain) => isActive && use === 'redirect'
  const nameOf = ({ name }: AdditionalDomain) => name
  return {
    served: others.filter((other) => !isRedirected(other)).map(nameOf),
    redirected: others.filter(isRedirected).map(nameOf),
    keepsHttp: host.https_redirect === false,
    tlsPort: isActive ? APACHE_TLS_PORT : null,
  }
}

/** Restores the edge's route of a domain that was removed from an instance's domain list and added again. */
export async function restoreDomainRoutes(
  instance: { id: number },
  names: string[],
  trx: TransactionClientContract
): Promise<void> {
  const projects = await Project.live({ client: trx }).where({ serverInstanceId: instance.id })
  for (const project of projects) {
    const { virtualHost, siteFile, status } = project
    const main = virtualHost?.subdomain
    if (!virtualHost || !main || !siteFile) continue
    const own = [main, ...(virtualHost.other_names ?? []).map(({ name }) => name)]
    if (!own.some((name) => names.includes(name))) continue
    await setDomainRoutes(
      project,
      { main, ...additionalDomainRoutes(virtualHost, status === 'active') },
      trx
    )
  }
}
