import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { caddyConfigChunks, type EdgeSettings, type Site } from './caddy_config.js'
import { toBuffers } from './json_chunks.js'

export { readLocalCaCertificate } from './local_ca.js'
export { readEdgeCertificateDates, type EdgeCertificateDates } from './certificate_dates.js'
export {
  caddyAdminConfig,
  caddyConfigChunks,
  type EdgeSettings,
  isValidEdgeSite,
  type Site,
  type SiteTls,
} from './caddy_config.js'
export { lookUpAddressesAndTxt, lookUpRecords, type DnsNameLookupResult } from './dns.js'
export { probeSite, type SiteProbeResult, loadTrustedRoots } from './probe.js'
export { readLastTlsErrors } from './caddy_tls_errors.js'
export { readLastProxyLoops } from './caddy_proxy_loops.js'

export class CaddyAdminError extends Error {
  constructor(
    readonly kind: 'unreachable' | 'refused',
    message: string,
    options?: ErrorOptions
  ) {
    super(message, options)
    this.name = 'CaddyAdminError'
  }
}

type Body = () => Iterable<string>

/** Calls may be repeated, because all of them are idempotent. */
const MAX_ATTEMPTS = 4

/**
 * Configures Caddy through its admin API. `serve` sends the complete list of sites, so this class keeps no state. Caddy
 * applies either all of a configuration or none of it. It closes open WebSockets, but interrupts no other requests.
 */
export class CaddyAdminClient {
  readonly #agent: Agent | undefined
  readonly #origin: string

  /** @param address `unix//path/to.sock` in Caddy's notation, or `host:port` */
  constructor(address: string) {
    const socketPath = address.startsWith('unix/') ? address.slice('unix/'.length) : undefined
    this.#agent = socketPath ? new Agent({ connect: { socketPath } }) : undefined
    this.#origin = socketPath ? 'http://127.0.0.1' : `http://${address}`
  }

  async isUp(): Promise<boolean> {
    try {
      await this.#call('GET', '/config/admin')
      return true
    } catch {
      return false
    }
  }

  /**
   * @param version name of this configuration, for later calls of `serves`
   * @throws CaddyAdminError `refused` with Caddy's error message, or `unreachable`
   */
  async serve(sites: Site[], settings: EdgeSettings, version = 'unnamed'): Promise<void> {
    await this.#call('POST', '/load', () => caddyConfigChunks(sites, settings, version))
  }

  /**
   * Returns whether the configuration `version` is active. Also correct after a restart of Caddy.
   * @throws CaddyAdminError `unreachable`
   */
  async serves(version: string): Promise<boolean> {
    try {
      await this.#call('GET', `/id/${encodeURIComponent(version)}/admin`)
      return true
    } catch (error) {
      if (error instanceof CaddyAdminError && error.kind === 'refused') return false
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#agent?.close()
  }

  /**
   * Retries, because Caddy 2.6 sometimes drops connections while it loads a configuration. It also rejects a new
   * configuration while it is still writing a certificate of the previous one.
   */
  async #call(method: 'GET' | 'POST', path: string, body?: Body): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(method, path, body)
      } catch (error) {
        const passes =
          error instanceof CaddyAdminError &&
          (error.kind === 'unreachable' || /PEM|certificate/i.test(error.message))
        if (!passes || attempt === MAX_ATTEMPTS) throw error
        await new Promise((resolve) => setTimeout(resolve, 100 * 3 ** (attempt - 1)))
      }
    }
  }

  async #once(method: 'GET' | 'POST', path: string, body?: Body): Promise<string> {
    let answer
    try {
      answer = await request(this.#origin + path, {
        method,
        dispatcher: this.#agent,
        headers: { 'content-type': 'application/json' },
        body: body && Readable.from(toBuffers(body())),
        headersTimeout: 30_000,
      })
    } catch (error) {
      throw new CaddyAdminError('unreachable', 'The web proxy cannot be reached.', {
        cause: error,
      })
    }
    const text = await answer.body.text()
    if (answer.statusCode < 300) return text
    throw new CaddyAdminError('refused', parseErrorMessage(text))
  }
}

function parseErrorMessage(text: string): string {
  try {
    return (JSON.parse(text) as { error: string }).error
  } catch {
    return text.slice(0, 500)
  }
}
