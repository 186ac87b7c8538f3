import type { Transport } from './transport.ts'

/** State of a cluster member. Memory is in bytes. Load averages are over 1, 5 and 15 minutes. */
export interface MemberState {
  sysinfo: { load_averages: number[]; total_ram: number }
}

export class Cluster {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** For a server outside a cluster, `name` is `none`. */
  async memberState(name: string): Promise<MemberState> {
    const path = `/1.0/cluster/members/${encodeURIComponent(name)}/state`
    return (await this.#transport.request<MemberState>('GET', path)).metadata
  }
}
