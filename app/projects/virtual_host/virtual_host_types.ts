/** Types of virtual hosts (product, "Projects"). */
export const virtualHostTypes = {
  static: { label: 'Static', entryPoint: true, proxy: false, php: false },
  php: { label: 'PHP', entryPoint: true, proxy: false, php: true },
  node: { label: 'Node', entryPoint: true, proxy: false, php: false },
  reverse_proxy: { label: 'Reverse Proxy', entryPoint: false, proxy: true, php: false },
} as const

export const urlTypes = { subdomain: 'Subdomain', port: 'IP / Port' } as const

export type VirtualHostType = keyof typeof virtualHostTypes
export type UrlType = keyof typeof urlTypes

/** A project's virtual host, with the specification's field names. */
export interface VirtualHost {
  type: VirtualHostType
  url_type: UrlType
  server_admin: string
  /** Folder to serve, relative to the project's folder. Empty for the project's folder itself. */
  entry_point: string
  reverse_proxy_port: number | null
  subdomain: string | null
  url_port: number | null
  /** PHP limits, if PHP runs the site. The defaults of `phpLimits` apply where they are absent. */
  php_upload_mb?: number | null
  php_memory_mb?: number | null
  php_seconds?: number | null
  /** Null for the newest installed version. */
  php_version?: string | null
}
