import { domainToASCII } from 'node:url'
import { isIP } from 'node:net'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import { isPublicAddress } from '../../service/is_public_address.js'
import { isNotFoundError, type DnsResolver } from './dns.js'
import type { MtaStsPolicies } from './mta_sts.js'

export interface MailServer {
  /** Host name that the TLS certificate should have. */
  name: string
  address: string
  port: number
}

export interface MailRoute {
  /** Routes with the same key use the same servers, and share one queue. */
  key: string
  servers: MailServer[]
  /** Whether MTA-STS (RFC 8461) requires a verified certificate. Otherwise TLS is opportunistic (RFC 7435). */
  verified: boolean
}

/** The domain can never receive mail. */
export class NoMailRouteError extends Error {
  constructor(
    message: string,
    readonly enhanced: string
  ) {
    super(message)
  }
}

/** Maximum number of server addresses to try per message. */
const MAX_SERVERS = 6

/**
 * Returns a domain's mail servers in order of preference (RFC 5321, 5.1): its MX hosts, or its own addresses if it
 * has no MX record.
 * @throws NoMailRouteError if the domain cannot receive mail
 * @throws the resolver's error if the look-up failed, or an Error if the MTA-STS policy allows none of the servers.
 * These do not concern the recipient
 */
export async function resolveMailRoute(
  destination: string,
  options: {
    names: DnsResolver
    policies: Pick<MtaStsPolicies, 'of'>
    allowPrivate?: boolean
    port?: number
  }
): Promise<MailRoute> {
  const { names, policies, allowPrivate = false, port = 25 } = options
  const domain = domainToASCII(destination)
  if (!domain || isIP(domain))
    throw new NoMailRouteError('The recipient domain does not exist', '5.1.2')
  const hosts = await hostsOf(domain, names)
  const policy = await policies.of(domain)
  const allowed = hosts.filter(policy.allows)
  if (allowed.length === 0)
    throw new Error('The MTA-STS policy of the recipient domain allows none of its mail servers')
  const servers: MailServer[] = []
  let failure: unknown
  let refused = false
  for (const host of allowed) {
    if (servers.length >= MAX_SERVERS) break
    try {
      const addresses = await names.addresses(host)
      const usable = allowPrivate ? addresses : addresses.filter(isPublicAddress)
      refused ||= usable.length < addresses.length
      servers.push(...usable.map((address) => ({ name: host, address, port })))
    } catch (error) {
      if (!isNotFoundError(error)) failure = error
    }
  }
  if (servers.length > 0) {
    const key = `${allowed.toSorted().join(' ')}${policy.verified ? ' verified' : ''}`
    return { key, servers: servers.slice(0, MAX_SERVERS), verified: policy.verified }
  }
  if (failure) throw failure
  throw refused
    ? new NoMailRouteError(
        'The mail servers of the recipient domain have no public internet address',
        '5.4.4'
      )
    : new NoMailRouteError('The recipient domain has no mail server', '5.1.2')
}

/** Returns hosts in order of preference. Hosts of equal preference are shuffled. */
async function hostsOf(domain: string, names: DnsResolver): Promise<string[]> {
  try {
    const records = await names.mx(domain)
    // A null MX record (RFC 7505) declares that the domain receives no mail.
    if (records.length === 1 && ['', '.'].includes(records[0]!.exchange)) {
      throw new NoMailRouteError('The recipient domain accepts no mail (null MX)', '5.1.10')
    }
    if (records.length > 0) {
      return records
        .map((each) => ({ ...each, chance: Math.random() }))
        .toSorted((one, other) => one.priority - other.priority || one.chance - other.chance)
        .map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''))
    }
  } catch (error) {
    if (!isNotFoundError(error)) throw error
  }
  return [domain]
}

/** Parses a relay's URL, such as `smtps://user:password@host:465`. */
export function parseRelayUrl(url: string) {
  return parseConnectionUrl(url)
}
