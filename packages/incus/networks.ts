import type { Transport } from './transport.ts'
import { isIncusError } from './errors.ts'

export interface Network {
  name: string
  description: string
  type: 'bridge' | 'physical' | 'loopback' | string
  managed: boolean
  status: string
  config: Record<string, string>
  used_by: string[]
}

export interface NetworkState {
  addresses: { family: 'inet' | 'inet6'; address: string; netmask: string; scope: string }[]
  hwaddr: string
  mtu: number
  state: string
  type: string
}

export interface DhcpLease {
  hostname: string
  hwaddr: string
  address: string
  type: 'static' | 'dynamic' | 'gateway' | 'uplink'
  location: string
}

export interface AclRule {
  action: 'allow' | 'reject' | 'drop'
  state: 'enabled' | 'disabled' | 'logged'
  description?: string
  source?: string
  destination?: string
  protocol?: 'tcp' | 'udp' | 'icmp4' | 'icmp6'
  source_port?: string
  destination_port?: string
}

export interface Acl {
  name: string
  description: string
  egress: AclRule[]
  ingress: AclRule[]
  config: Record<string, string>
  used_by?: string[]
}

export class Networks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists all network interfaces of the host, including those that Incus does not manage. */
  async list(): Promise<Network[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Network[]>('GET', '/1.0/networks', { query })).metadata
  }

  async get(name: string): Promise<Network> {
    return (await this.#transport.request<Network>('GET', networkPath(name))).metadata
  }

  async state(name: string): Promise<NetworkState> {
    const path = `${networkPath(name)}/state`
    return (await this.#transport.request<NetworkState>('GET', path)).metadata
  }

  async create(network: {
    name: string
    type?: string
    description?: string
    config?: Record<string, string>
  }): Promise<void> {
    await this.#transport.request('POST', '/1.0/networks', { json: { type: 'bridge', ...network } })
  }

  /** Config keys that are not passed stay unchanged. */
  async patch(
    name: string,
    change: { description?: string; config?: Record<string, string> }
  ): Promise<void> {
    await this.#transport.request('PATCH', networkPath(name), { json: change })
  }

  async delete(name: string): Promise<void> {
    await this.#transport.request('DELETE', networkPath(name))
  }

  async leases(name: string): Promise<DhcpLease[]> {
    return (await this.#transport.request<DhcpLease[]>('GET', `${networkPath(name)}/leases`))
      .metadata
  }

  async acls(): Promise<Acl[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Acl[]>('GET', '/1.0/network-acls', { query })).metadata
  }

  async setAcl(acl: {
    name: string
    description?: string
    egress?: AclRule[]
    ingress?: AclRule[]
  }): Promise<void> {
    const { name, ...rest } = acl
    const json = { description: '', egress: [], ingress: [], config: {}, ...rest }
    try {
      await this.#transport.request('PUT', aclPath(name), { json })
    } catch (error) {
      if (!isIncusError(error, 'not_found')) throw error
      await this.#transport.request('POST', '/1.0/network-acls', { json: { name, ...json } })
    }
  }

  async deleteAcl(name: string): Promise<void> {
    await this.#transport.request('DELETE', aclPath(name))
  }
}

function networkPath(name: string): string {
  return `/1.0/networks/${encodeURIComponent(name)}`
}

function aclPath(name: string): string {
  return `/1.0/network-acls/${encodeURIComponent(name)}`
}
