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
export { readLastTlsErrors } from './tls_log.js'

/** Caddy said no, or could not be reached. */
export class EdgeError extends Error {
  constructor(
    readonly kind: 'unreachable' | 'refused',
    message: string,
    options?: ErrorOptions
  ) {
    super(message, options)
    this.name = 'EdgeError'
  }
}

/** Made anew for each try. */
type Body = () => Iterable<string>

/** How often a call is made that only says what is to be, so that making it again is safe. */
const MAX_ATTEMPTS = 4

/**
 * The Caddy of a host, by its admin API. Sites are always given as a whole, so there is no state
 * here that could differ from what the caller knows; Caddy takes a configuration entirely or not
 * at all and keeps serving meanwhile.
 */
export class Edge {
  readonly #agent: Agent | undefined
  readonly #origin: string

  /** @param address `unix//path/to.sock` as Caddy writes it, or `host:port`. */
  constructor(address: string) {
    const socketPath = address.startsWith('unix/') ? address.slice('unix/'.length) : undefined
    this.#agent = socketPath ? new Agent({ connect: { socketPath } }) : undefined
    this.#origin = socketPath ? 'http://127.0.0.1' : `http://${address}`
  }

  /** Whether Caddy answers. */
  async isUp(): Promise<boolean> {
    try {
      await this.#call('GET', '/config/admin')
      return true
    } catch {
      return false
    }
  }

  /**
   * Serves exactly these sites from now on. Throws `refused` with Caddy's words.
   * @param version a name for this configuration that `serves` can ask for
   */
  async serve(sites: Site[], settings: EdgeSettings, version = 'unnamed'): Promise<void> {
    await this.#call('POST', '/load', () => caddyConfigChunks(sites, settings, version))
  }

  /** Whether the configuration of that version is the one in force, also after Caddy restarted. */
  async serves(version: string): Promise<boolean> {
    try {
      await this.#call('GET', `/id/${encodeURIComponent(version)}/admin`)
      return true
    } catch (error) {
      if (error instanceof EdgeError && error.kind === 'refused') return false
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#agent?.close()
  }

  /**
   * Caddy 2.6 cuts calls off at times while it takes a new configuration, and refuses one while it
   * still writes a certificate of the last; both pass, and all calls here can be made again.
   */
  async #call(method: 'GET' | 'POST', path: string, body?: Body): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(method, path, body)
      } catch (error) {
        const passes =
          error instanceof EdgeError &&
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
      throw new EdgeError('unreachable', 'The edge proxy cannot be reached.', { cause: error })
    }
    const text = await answer.body.text()
    if (answer.statusCode < 300) return text
    throw new EdgeError('refused', parseErrorMessage(text))
  }
}

function parseErrorMessage(text: string): string {
  try {
    return (JSON.parse(text) as { error: string }).error
  } catch {
    return text.slice(0, 500)
  }
}
