import { resolvePublicHost } from '#core/public_host'
import { badRepository, gitRefused, ONLY_HTTPS } from '#git/errors'
import { settings } from '#git/machine/run'
import app from '@adonisjs/core/services/app'
import { isIPv6 } from 'node:net'

const LONGEST = 2_000
const PRIVATE = 'This address leads into a private network, so it is not used.'

let localServers = false

/** Lets tests use a git server on this machine without TLS. Throws anywhere else. */
export function allowLocalServers(allowed: boolean): void {
  if (!app.inTest) throw new Error('Only tests may use local git servers')
  localServers = allowed
}

/** Where a repository comes from: checked, and used as it was checked. */
export class Address {
  private constructor(
    readonly url: string,
    private readonly parsed: URL | null,
    private readonly refuse: (words: string) => Error
  ) {}

  /** A link that a person typed. Throws 422 at `repository`. */
  static ofLink(link: string): Address {
    const text = link.trim()
    if (text === '') throw badRepository('Give the address of a repository.')
    if (text.startsWith('-')) throw badRepository('An address cannot begin with “-”.')
    if (/[\s\0-\x1f\x7f\\]/.test(text) || !text.isWellFormed() || text.length > LONGEST) {
      throw badRepository('This is no address of a repository.')
    }
    if (!/^https:\/\//i.test(text) && !(localServers && /^http:\/\//i.test(text))) {
      throw badRepository(ONLY_HTTPS)
    }
    const parsed = URL.parse(text)
    if (!parsed?.hostname) throw badRepository('This is no address of a repository.')
    if (parsed.username || parsed.password) {
      throw badRepository('Put the user name and password into their own fields.')
    }
    parsed.hash = ''
    return new Address(parsed.href, parsed, badRepository)
  }

  /**
   * The address of a remote that the owner of the machine set up: SSH with keys of the machine's own
   * is fine too, everything that would run a program or read local files is not. Throws 409.
   */
  static async ofRemote(url: string): Promise<Address> {
    if (/^https?:\/\//i.test(url)) {
      const parsed = URL.parse(url)
      if (parsed) return new Address(url, parsed, gitRefused)
    }
    if (/^ssh:\/\/[^-]/i.test(url) || /^[^-/:][^/:]*:(?!:|\/\/)/.test(url)) {
      return new Address(url, null, gitRefused)
    }
    throw gitRefused('The remote of this branch is neither an https:// nor an SSH address.')
  }

  /** Scheme, host and port, as git's settings name a server. */
  get origin(): string {
    return this.parsed?.origin ?? ''
  }

  /**
   * Resolves the host and answers git's settings that hold it to these addresses: no other
   * protocol, no redirects, no second look-up. Refuses what is not the public internet.
   */
  async settings(): Promise<string[]> {
    if (!this.parsed) return settings({ 'protocol.ssh.allow': 'always' })
    const { hostname, protocol, port } = this.parsed
    const verdict = await resolvePublicHost(hostname)
    if (verdict.kind === 'unknown') {
      throw this.refuse(`No server is known as ${hostname}. Check the address.`)
    }
    if (verdict.kind === 'private' && !localServers) throw this.refuse(PRIVATE)
    const scheme = protocol.slice(0, -1)
    const pins: Record<string, string> =
      verdict.kind === 'private'
        ? {}
        : { 'http.curloptResolve': pin(hostname, port || portOf(scheme), verdict.addresses) }
    return settings({
      [`protocol.${scheme}.allow`]: 'always',
      'http.followRedirects': 'false',
      'http.lowSpeedLimit': '1',
      'http.lowSpeedTime': '60',
      ...pins,
    })
  }
}

function portOf(scheme: string): string {
  return scheme === 'http' ? '80' : '443'
}

function pin(host: string, port: string, addresses: string[]): string {
  const literal = addresses.map((address) => (isIPv6(address) ? `[${address}]` : address))
  return `${host}:${port}:${literal.join(',')}`
}
