import { resolvePublicHost } from '#core/resolve_public_host'
import {
  invalidRepositoryAddress,
  gitError,
  UNSUPPORTED_ADDRESS_MESSAGE,
  INVALID_SSH_ADDRESS_MESSAGE,
} from '#git/errors'
import { gitConfigArguments } from '#git/machine/run_git'
import { looksLikeSsh, parseSshRemote, type SshRemote } from '#git/ssh_remote'
import app from '@adonisjs/core/services/app'
import { isIPv4, isIPv6 } from 'node:net'

const MAX_ADDRESS_LENGTH = 2_000
const PRIVATE_NETWORK_MESSAGE =
  'This address belongs to a private network, so the console does not connect to it.'

let localServers = false

/**
 * Allows git servers on the machine that runs the tests, without TLS.
 * @throws outside of tests
 */
export function allowLocalServersInTests(allowed: boolean): void {
  if (!app.inTest) throw new Error('Only tests may use local git servers')
  localServers = allowed
}

/**
 * A repository address whose form was checked. Over HTTP(S), and over SSH with a deploy key, git
 * connects only to hosts on the public internet.
 */
export class RepositoryAddress {
  readonly #parsed: URL | null
  readonly #errorFor: (message: string) => Error

  private constructor(
    readonly url: string,
    parsed: URL | null,
    errorFor: (message: string) => Error,
    /** Null for https, and for SSH remotes whose form only ssh itself understands. */
    readonly ssh: SshRemote | null = null
  ) {
    this.#parsed = parsed
    this.#errorFor = errorFor
  }

  /**
   * Parses an address that a user entered.
   * @throws 422 at `repository`
   */
  static ofLink(link: string): RepositoryAddress {
    const text = link.trim()
    if (text === '') throw invalidRepositoryAddress('Enter the address of a repository.')
    if (text.startsWith('-')) throw invalidRepositoryAddress('An address cannot begin with “-”.')
    if (
      /[\s\0-\x1f\x7f\\]/.test(text) ||
      !text.isWellFormed() ||
      text.length > MAX_ADDRESS_LENGTH
    ) {
      throw invalidRepositoryAddress(
        'This is not a repository address. Enter one such as https://example.com/team/site.git.'
      )
    }
    if (looksLikeSsh(text)) {
      const remote = parseSshRemote(text)
      if (!remote) throw invalidRepositoryAddress(INVALID_SSH_ADDRESS_MESSAGE)
      return new RepositoryAddress(text, null, invalidRepositoryAddress, remote)
    }
    if (!/^https:\/\//i.test(text) && !(localServers && /^http:\/\//i.test(text))) {
      throw invalidRepositoryAddress(UNSUPPORTED_ADDRESS_MESSAGE)
    }
    const parsed = URL.parse(text)
    if (!parsed?.hostname)
      throw invalidRepositoryAddress(
        'This is not a repository address. Enter one such as https://example.com/team/site.git.'
      )
    if (parsed.username || parsed.password) {
      throw invalidRepositoryAddress(
        'Enter the user name and password in their own fields, not in the address.'
      )
    }
    parsed.hash = ''
    return new RepositoryAddress(parsed.href, parsed, invalidRepositoryAddress)
  }

  /**
   * Parses a remote's address from the repository's settings, which may use SSH with the instance's
   * own keys. Rejects addresses that would run a program or read local files.
   * @throws 409 if the address is neither http, https nor SSH
   */
  static async ofRemote(url: string): Promise<RepositoryAddress> {
    if (/^https?:\/\//i.test(url)) {
      const parsed = URL.parse(url)
      if (parsed) return new RepositoryAddress(url, parsed, gitError)
    }
    if (/^ssh:\/\/[^-]/i.test(url) || /^[^-/:][^/:]*:(?!:|\/\/)/.test(url)) {
      return new RepositoryAddress(url, null, gitError, parseSshRemote(url))
    }
    throw gitError('The remote of this branch is neither an https:// nor an SSH address.')
  }

  /**
   * Returns the server's address as git's settings use it, for example `https://git.example.com`.
   * `''` for SSH.
   */
  get origin(): string {
    return this.#parsed?.origin ?? ''
  }

  get title(): string {
    const path = this.ssh?.name ?? this.#parsed?.pathname ?? ''
    return path.split('/').filter(Boolean).at(-1) ?? 'a repository'
  }

  /**
   * Returns git settings that allow this address's protocol; `git.sh` forbids the others. Over HTTP(S),
   * git connects only to the IP addresses that Berth has resolved: no redirects, no second DNS lookup.
   * @throws for HTTP(S), if the host is not on the public internet
   */
  async settings(): Promise<string[]> {
    if (!this.#parsed) return gitConfigArguments({ 'protocol.ssh.allow': 'always' })
    const { hostname, protocol, port } = this.#parsed
    const addresses = await this.#resolve(hostname)
    const scheme = protocol.slice(0, -1)
    const pins: Record<string, string> = addresses
      ? { 'http.curloptResolve': curlResolveEntry(hostname, port || portOf(scheme), addresses) }
      : {}
    return gitConfigArguments({
      [`protocol.${scheme}.allow`]: 'always',
      'http.followRedirects': 'false',
      'http.lowSpeedLimit': '1',
      'http.lowSpeedTime': '60',
      ...pins,
    })
  }

  /**
   * Returns an IP address of the SSH server.
   * @throws if the host is not on the public internet
   */
  async sshAddress(): Promise<string> {
    const { host } = this.ssh!
    const addresses = (await this.#resolve(host)) ?? ['127.0.0.1']
    return addresses.find((address) => isIPv4(address)) ?? addresses[0]
  }

  /** Returns null for a test's server on this machine. */
  async #resolve(host: string): Promise<string[] | null> {
    const resolved = await resolvePublicHost(host)
    if (resolved.kind === 'unknown') {
      throw this.#errorFor(`There is no server with the name ${host}. Check the address.`)
    }
    if (resolved.kind === 'public') return resolved.addresses
    if (localServers) return null
    throw this.#errorFor(PRIVATE_NETWORK_MESSAGE)
  }
}

function portOf(scheme: string): string {
  return scheme === 'http' ? '80' : '443'
}

function curlResolveEntry(host: string, port: string, addresses: string[]): string {
  const literal = addresses.map((address) => (isIPv6(address) ? `[${address}]` : address))
  return `${host}:${port}:${literal.join(',')}`
}
