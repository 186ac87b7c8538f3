import type { Transport } from './transport.ts'

export interface ServerInfo {
  api_extensions: string[]
  api_status: string
  api_version: string
  auth: 'trusted' | 'untrusted'
  config: Record<string, string>
  environment: {
    addresses: string[] | null
    architectures: string[]
    certificate: string
    certificate_fingerprint: string
    driver: string
    firewall: string
    kernel: string
    kernel_version: string
    os_name: string
    os_version: string
    project: string
    server: string
    server_clustered: boolean
    server_name: string
    server_pid: number
    server_version: string
    storage: string
  }
}

/** Sizes are in bytes. */
export interface ServerResources {
  cpu: { architecture: string; total: number; sockets: { name?: string; cores: unknown[] }[] }
  memory: { total: number; used: number }
  storage: { total: number; disks: { id: string; size: number; model?: string; type?: string }[] }
  network: { total: number }
  load?: { Average1Min: number; Average5Min: number; Average10Min: number; Processes: number }
  system?: { uuid?: string; vendor?: string; type?: string }
}

/** A warning of Incus about its own host, for example about a problem when Incus started. */
export interface ServerWarning {
  status: 'new' | 'acknowledged' | 'resolved'
  /** Type of the problem as English text, such as `Couldn't find the CGroup CPU controller`. */
  type: string
  last_message: string
}

const MISSING_CONTROLLER_PATTERN = /^Couldn't find the CGroup (memory|pids|CPU) controller$/

export class Server {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async info(): Promise<ServerInfo> {
    return (await this.#transport.request<ServerInfo>('GET', '/1.0')).metadata
  }

  /** Settings that are not passed stay unchanged. */
  async configure(config: Record<string, string>): Promise<void> {
    await this.#transport.request('PATCH', '/1.0', { json: { config } })
  }

  async resources(): Promise<ServerResources> {
    return (await this.#transport.request<ServerResources>('GET', '/1.0/resources')).metadata
  }

  /**
   * Returns the cgroup controllers (`cpu`, `memory`, `pids`) that Incus did not find when it started. Without them,
   * Incus starts instances but ignores their limits.
   */
  async missingControllers(): Promise<string[]> {
    const query = { recursion: 1 }
    const { metadata: warnings } = await this.#transport.request<ServerWarning[]>(
      'GET',
      '/1.0/warnings',
      { query }
    )
    const names = warnings.flatMap(({ status, type }) => {
      const controller = MISSING_CONTROLLER_PATTERN.exec(type)?.[1]
      return controller && status !== 'resolved' ? [controller.toLowerCase()] : []
    })
    // The warnings for a missing cpuset controller and for a missing cpu controller have the same type.
    return [...new Set(names)].sort()
  }
}
