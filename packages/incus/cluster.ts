import type { Transport } from './transport.ts'

/** How a member is doing now; bytes, and processes that run or wait over 1, 5 and 15 minutes. */
export interface MemberState {
  sysinfo: { load_averages: number[]; total_ram: number }
}

export class Cluster {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Read anew at each call; a server that is no cluster is its own member `none`. */
  async memberState(name: string): Promise<MemberState> {
    const path = `/1.0/cluster/members/${encodeURIComponent(name)}/state`
    return (await this.#transport.request<MemberState>('GET', path)).metadata
  }
}
