import type { Transport } from './transport.ts'

/** State of a cluster member. Memory in bytes. Load averages over 1, 5 and 15 minutes. */
export interface MemberState {
  sysinfo: { load_averages: number[]; total_ram: number }
}

export class Cluster {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Loads the state of a member. `none` is the name for a server outside a cluster. */
  async memberState(name: string): Promise<MemberState> {
    const path = `/1.0/cluster/members/${encodeURIComponent(name)}/state`
    return (await this.#transport.request<MemberState>('GET', path)).metadata
  }
}
