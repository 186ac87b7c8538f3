import type { Transport } from './transport.ts'

export interface ClusterMember {
  server_name: string
  url: string
  status: 'Online' | 'Offline' | 'Evacuated' | 'Blocked' | string
  message: string
  database: boolean
  roles: string[]
  failure_domain: string
  architecture: string
}

/** How a member is doing now; bytes, and processes that run or wait over 1, 5 and 15 minutes. */
export interface MemberState {
  sysinfo: { load_averages: number[]; total_ram: number }
}

export class Cluster {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async enabled(): Promise<boolean> {
    const { metadata } = await this.#transport.request<{ enabled: boolean }>('GET', '/1.0/cluster')
    return metadata.enabled
  }

  /** Empty on a server that is no cluster. */
  async members(): Promise<ClusterMember[]> {
    if (!(await this.enabled())) return []
    const path = '/1.0/cluster/members'
    const query = { recursion: 1 }
    return (await this.#transport.request<ClusterMember[]>('GET', path, { query })).metadata
  }

  /** Read anew at each call; a server that is no cluster is its own member `none`. */
  async memberState(name: string): Promise<MemberState> {
    const path = `/1.0/cluster/members/${encodeURIComponent(name)}/state`
    return (await this.#transport.request<MemberState>('GET', path)).metadata
  }
}
