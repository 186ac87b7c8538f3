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

export interface Lease {
  hostname: string
  hwaddr: string
  address: string
  type: 'static' | 'dynamic' | 'gateway' | 'uplink'
  location: string
}

export interface ForwardPort {
  description?: string
  protocol: 'tcp' | 'udp'
  /** One port, a range or a list: `2201`, `8000-8010`. */
  listen_port: string
  target_port?: string
  target_address: string
}

export interface Forward {
  listen_address: string
  description: string
  config: Record<string, string>
  ports: ForwardPort[]
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

/** How often a read-change-write is tried again when others wrote between. */
const ATTEMPTS = 10

export class Networks {
  readonly #transport: Transport
  /** The last change of each forward: Incus checks the etag and writes in two steps. */
  readonly #changes = new Map<string, Promise<unknown>>()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Every interface of the machine, managed by Incus or not. */
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

  /** Writes the given keys; the others stay. */
  async patch(
    name: string,
    change: { description?: string; config?: Record<string, string> }
  ): Promise<void> {
    await this.#transport.request('PATCH', networkPath(name), { json: change })
  }

  async delete(name: string): Promise<void> {
    await this.#transport.request('DELETE', networkPath(name))
  }

  async leases(name: string): Promise<Lease[]> {
    return (await this.#transport.request<Lease[]>('GET', `${networkPath(name)}/leases`)).metadata
  }

  async forwards(network: string): Promise<Forward[]> {
    const path = `${networkPath(network)}/forwards`
    const query = { recursion: 1 }
    return (await this.#transport.request<Forward[]>('GET', path, { query })).metadata
  }

  async forward(network: string, listenAddress: string): Promise<Forward> {
    const path = forwardPath(network, listenAddress)
    return (await this.#transport.request<Forward>('GET', path)).metadata
  }

  async createForward(
    network: string,
    forward: { listen_address: string; description?: string; ports?: ForwardPort[] }
  ): Promise<void> {
    const json = { description: '', config: {}, ports: [], ...forward }
    await this.#transport.request('POST', `${networkPath(network)}/forwards`, { json })
  }

  async deleteForward(network: string, listenAddress: string): Promise<void> {
    await this.#transport.request('DELETE', forwardPath(network, listenAddress))
  }

  /**
   * Changes the ports of a listen address as one step: reads, changes, writes with the etag, and
   * starts over when somebody else wrote between. The forward is made when it is missing. Changes
   * through one client wait for each other.
   */
  updateForwardPorts(
    network: string,
    listenAddress: string,
    change: (ports: ForwardPort[]) => ForwardPort[]
  ): Promise<ForwardPort[]> {
    const path = forwardPath(network, listenAddress)
    const before = this.#changes.get(path) ?? Promise.resolve()
    const work = before
      .catch(() => {})
      .then(() => this.#changePorts(network, listenAddress, change))
    this.#changes.set(path, work)
    const forget = () => {
      if (this.#changes.get(path) === work) this.#changes.delete(path)
    }
    work.then(forget, forget)
    return work
  }

  async #changePorts(
    network: string,
    listenAddress: string,
    change: (ports: ForwardPort[]) => ForwardPort[]
  ): Promise<ForwardPort[]> {
    const path = forwardPath(network, listenAddress)
    for (let attempt = 1; ; attempt++) {
      try {
        const { metadata, etag } = await this.#transport.request<Forward>('GET', path)
        const ports = change(metadata.ports)
        const json = { description: metadata.description, config: metadata.config, ports }
        await this.#transport.request('PUT', path, { json, etag })
        return ports
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error
        if (isIncusError(error, 'not_found')) {
          await this.createForward(network, { listen_address: listenAddress }).catch(unlessConflict)
        } else if (!isIncusError(error, 'stale')) {
          throw error
        }
      }
    }
  }

  async acls(): Promise<Acl[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Acl[]>('GET', '/1.0/network-acls', { query })).metadata
  }

  async acl(name: string): Promise<Acl> {
    return (await this.#transport.request<Acl>('GET', aclPath(name))).metadata
  }

  /** Makes an access list or replaces its rules. */
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

function unlessConflict(error: unknown): void {
  if (!isIncusError(error, 'conflict')) throw error
}

function networkPath(name: string): string {
  return `/1.0/networks/${encodeURIComponent(name)}`
}

function forwardPath(network: string, listenAddress: string): string {
  return `${networkPath(network)}/forwards/${encodeURIComponent(listenAddress)}`
}

function aclPath(name: string): string {
  return `/1.0/network-acls/${encodeURIComponent(name)}`
}
