export const virtualHostTypes = {
  static: { label: 'Static', entryPoint: true, proxy: false, php: false },
  php: { label: 'PHP', entryPoint: true, proxy: false, php: true },
  node: { label: 'Node', entryPoint: true, proxy: false, php: false },
  reverse_proxy: { label: 'Reverse Proxy', entryPoint: false, proxy: true, php: false },
} as const

export const urlTypes = { subdomain: 'Subdomain', port: 'IP / Port' } as const

/** An additional domain of a site, such as `www.example.com` for `example.com`. */
export interface AdditionalDomain {
  name: string
  /** `redirect`: the edge redirects visitors to the primary domain, once HTTPS works there. */
  use: AdditionalDomainUse
}

export const ADDITIONAL_DOMAIN_USES = ['serve', 'redirect'] as const

export type AdditionalDomainUse = (typeof ADDITIONAL_DOMAIN_USES)[number]

export const MAX_ADDITIONAL_DOMAINS = 5

export type VirtualHostType = keyof typeof virtualHostTypes
export type UrlType = keyof typeof urlTypes

/** The product promises the names of the fields `type` to `url_port` (docs/conformance.md, row C3.5). */
export interface VirtualHost {
  type: VirtualHostType
  url_type: UrlType
  server_admin: string
  /** Relative to the project's folder. May be empty. */
  entry_point: string
  reverse_proxy_port: number | null
  subdomain: string | null
  url_port: number | null
  /** Absent without a domain, and in virtual hosts of earlier releases. */
  other_names?: AdditionalDomain[]
  /** Redirects HTTP requests to HTTPS. Default true. */
  https_redirect?: boolean
  /** If a limit is missing, the default in `phpLimits` applies. */
  php_upload_mb?: number | null
  php_memory_mb?: number | null
  php_seconds?: number | null
  /** Null for the newest installed version. */
  php_version?: string | null
}

export function siteDomainNames(host: VirtualHost | null): string[] {
  if (!host?.subdomain) return []
  return [host.subdomain].concat(host.other_names?.map(({ name }) => name) ?? [])
}

/** Returns whether visitors reach the app directly at its own port, without Apache. */
export function needsNoApacheSite({
  type,
  url_type: urlType,
}: Pick<VirtualHost, 'type' | 'url_type'>) {
  return type === 'reverse_proxy' && urlType === 'port'
}

/**
 * Returns the port on which visitors reach the site: the web server's or the app's own. Null if the
 * site has a domain.
 */
export function sitePort(host: VirtualHost): number | null {
  return needsNoApacheSite(host) ? host.reverse_proxy_port : host.url_port
}

export function sitePortField(host: VirtualHost): 'reverse_proxy_port' | 'url_port' {
  return needsNoApacheSite(host) ? 'reverse_proxy_port' : 'url_port'
}

/** Returns the name of the site's configuration file in Apache's sites folder (docs/product.md, "Projects"). */
export function apacheSiteFileName(host: VirtualHost): string | null {
  if (needsNoApacheSite(host)) return null
  return host.url_type === 'port' ? `port_${host.url_port}.conf` : `${host.subdomain}.conf`
}
