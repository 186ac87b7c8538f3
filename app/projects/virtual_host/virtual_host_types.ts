/** What a virtual host serves (product, "Projects"). */
export const virtualHostTypes = {
  static: { label: 'Static', entryPoint: true, proxy: false, php: false },
  php: { label: 'PHP', entryPoint: true, proxy: false, php: true },
  node: { label: 'Node', entryPoint: true, proxy: false, php: false },
  reverse_proxy: { label: 'Reverse Proxy', entryPoint: false, proxy: true, php: false },
} as const

export const urlTypes = { subdomain: 'Subdomain', port: 'IP / Port' } as const

export type VirtualHostType = keyof typeof virtualHostTypes
export type UrlType = keyof typeof urlTypes

/** A project's virtual host, by the field names of the specification. */
export interface VirtualHost {
  type: VirtualHostType
  url_type: UrlType
  server_admin: string
  /** Folder within the project that is served; empty for the project's own. */
  entry_point: string
  reverse_proxy_port: number | null
  subdomain: string | null
  url_port: number | null
  /** Limits of PHP, where it runs the site; the usual ones where absent. */
  php_upload_mb?: number | null
  php_memory_mb?: number | null
  php_seconds?: number | null
  /** Null for the newest that is installed. */
  php_version?: string | null
}
