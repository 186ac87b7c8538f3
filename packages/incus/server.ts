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

/** A server's resources as Incus reports them. Sizes are in bytes. */
export interface ServerResources {
  cpu: { architecture: string; total: number; sockets: { name?: string; cores: unknown[] }[] }
  memory: { total: number; used: number }
  storage: { total: number; disks: { id: string; size: number; model?: string; type?: string }[] }
  network: { total: number }
  load?: { Average1Min: number; Average5Min: number; Average10Min: number; Processes: number }
  system?: { uuid?: string; vendor?: string; type?: string }
}

export class Server {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async info(): Promise<ServerInfo> {
    return (await this.#transport.request<ServerInfo>('GET', '/1.0')).metadata
  }

  /** Changes the passed settings and leaves others unchanged. */
  async configure(config: Record<string, string>): Promise<void> {
    await this.#transport.request('PATCH', '/1.0', { json: { config } })
  }

  async resources(): Promise<ServerResources> {
    return (await this.#transport.request<ServerResources>('GET', '/1.0/resources')).metadata
  }
}
