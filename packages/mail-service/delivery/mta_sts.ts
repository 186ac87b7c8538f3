import { getPolicy, validateMx } from 'mailauth/lib/mta-sts.js'
import type { MTASTSPolicy } from 'mailauth'
import { isPublicAddress } from '../../service/is_public_address.js'
import type { DnsResolver } from './dns.js'

export interface MtaStsRequirement {
  verified: boolean
  allows: (host: string) => boolean
}

const ANY_SERVER: MtaStsRequirement = { verified: false, allows: () => true }

const MAX_CACHED_DOMAINS = 10_000
const POLICY_CACHE_MS = 3_600_000

/** MTA-STS policies of recipient domains (RFC 8461). Downloads are cached, and have limits of size and time. */
export class MtaStsPolicies {
  readonly #known = new Map<string, { policy: MTASTSPolicy; fetchedAt: number }>()

  readonly #names: DnsResolver
  readonly #now: () => Date
  readonly #ask: typeof getPolicy

  constructor(names: DnsResolver, now: () => Date, ask: typeof getPolicy = getPolicy) {
    this.#names = names
    this.#now = now
    this.#ask = ask
  }

  /**
   * Returns the requirements of the domain's policy. There are none if its mode is not `enforce`, or if the policy
   * cannot be read and is not cached (RFC 8461, 5.1).
   */
  async of(domain: string): Promise<MtaStsRequirement> {
    const policy = await this.#policyOf(domain)
    if (policy?.mode !== 'enforce') return ANY_SERVER
    return { verified: true, allows: (host) => validateMx(host, policy).valid }
  }

  async #policyOf(domain: string): Promise<MTASTSPolicy | undefined> {
    const now = this.#now().getTime()
    const known = this.#known.get(domain)
    if (known && known.fetchedAt + POLICY_CACHE_MS > now) return known.policy
    const { policy } = await this.#ask(domain, known?.policy, {
      resolver: ((name: string, type: string) => this.#look(name, type)) as never,
      timeout: 10_000,
    }).catch(() => ({ policy: known?.policy }))
    if (!policy) return undefined
    this.#known.delete(domain)
    this.#known.set(domain, { policy, fetchedAt: now })
    if (this.#known.size > MAX_CACHED_DOMAINS) this.#known.delete(this.#known.keys().next().value!)
    return policy
  }

  /** Accepts only public addresses, because strangers choose the domain and the host of its policy. */
  async #look(name: string, type: string): Promise<string[] | string[][]> {
    if (type === 'TXT') return (await this.#names.txt(name)).map((text) => [text])
    const addresses = await this.#names.addresses(name)
    return addresses
      .filter(isPublicAddress)
      .filter((address) => address.includes(':') === (type === 'AAAA'))
  }
}
