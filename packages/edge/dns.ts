import { Resolver } from 'node:dns/promises'

export interface DnsNameLookupResult {
  addresses: string[]
  /** Target of the name's CNAME record. Null if it has none. */
  alias: string | null
  texts: string[]
  /** Whether a look-up failed (for example a timeout or SERVFAIL). Then it is unknown whether records exist. */
  silent: boolean
}

const NO_RECORD_CODES = ['ENOTFOUND', 'ENODATA']

/**
 * Looks up the addresses and CNAME of one name, and the TXT records of another name.
 * @param servers DNS servers as `address` or `address:port`. Default: the DNS servers of the system
 * @throws only if an entry of `servers` is not an IP address
 */
export async function lookUpAddressesAndTxt(
  name: string,
  textName: string,
  servers: string[] = []
): Promise<DnsNameLookupResult> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (servers.length) resolver.setServers(servers)
  let silent = false
  const ask = async <T>(lookup: Promise<T[]>): Promise<T[]> => {
    try {
      return await lookup
    } catch (error) {
      if (!NO_RECORD_CODES.includes((error as NodeJS.ErrnoException).code ?? '')) silent = true
      return []
    }
  }
  const [four, six, aliases, texts] = await Promise.all([
    ask(resolver.resolve4(name)),
    ask(resolver.resolve6(name)),
    ask(resolver.resolveCname(name)),
    ask(resolver.resolveTxt(textName)),
  ])
  return {
    addresses: [...four, ...six],
    alias: aliases[0] ?? null,
    texts: texts.map((parts) => parts.join('')),
    silent,
  }
}

/** Record values as text. TXT values have no quotes. The value of an MX record is its priority and host. */
export interface DnsRecordLookupResult {
  values: string[]
  /** Whether the look-up failed, as in `DnsNameLookupResult`. */
  silent: boolean
}

/** @param servers as in `lookUpAddressesAndTxt` */
export async function lookUpRecords(
  type: 'TXT' | 'MX' | 'CNAME',
  name: string,
  servers: string[] = []
): Promise<DnsRecordLookupResult> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (servers.length) resolver.setServers(servers)
  const ask = async (): Promise<string[]> => {
    if (type === 'TXT') return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    if (type === 'CNAME') return resolver.resolveCname(name)
    const exchanges = await resolver.resolveMx(name)
    return exchanges.map(({ priority, exchange }) => `${priority} ${exchange}`)
  }
  try {
    return { values: await ask(), silent: false }
  } catch (error) {
    return {
      values: [],
      silent: !NO_RECORD_CODES.includes((error as NodeJS.ErrnoException).code ?? ''),
    }
  }
}
