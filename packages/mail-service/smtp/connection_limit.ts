import { isLoopback, rateLimitNetwork } from '#packages/service/ip_network'

interface ClosingSocket {
  remoteAddress?: string
  once(event: 'close', listener: () => void): unknown
}

/**
 * Limits open connections in total, and per network (an IPv4 address, or the /64 of an IPv6 address), so that one
 * network cannot use all of them. Only the total limits connections from loopback addresses.
 */
export class ConnectionLimit {
  #total = 0
  readonly #byNetwork = new Map<string, number>()
  readonly #max: { total: number; perNetwork: number }

  constructor(max: { total: number; perNetwork: number }) {
    this.#max = max
  }

  /** Returns false if the connection exceeds a limit. Counts the connection until it closes, even a rejected one. */
  admit(socket: ClosingSocket): boolean {
    const address = socket.remoteAddress ?? ''
    const network = rateLimitNetwork(address)
    const count = (this.#byNetwork.get(network) ?? 0) + 1
    this.#total++
    this.#byNetwork.set(network, count)
    socket.once('close', () => this.#release(network))
    if (this.#total > this.#max.total) return false
    return isLoopback(address) || count <= this.#max.perNetwork
  }

  #release(network: string): void {
    this.#total--
    const count = this.#byNetwork.get(network)! - 1
    if (count) this.#byNetwork.set(network, count)
    else this.#byNetwork.delete(network)
  }
}
