import { Resolver } from 'node:dns/promises'

/** What DNS says of a name. */
export interface DnsNameLookupResult {
  /** Of its A and AAAA records, those of what it is an alias of included. */
  addresses: string[]
  /** What its CNAME record names. */
  alias: string | null
  /** Its TXT records. */
  texts: string[]
  /** No name server answered, so that what is missing here may be there. */
  silent: boolean
}

/** Answers that say: there is no such record. */
const NO_RECORD_CODES = ['ENOTFOUND', 'ENODATA']

/**
 * Asks DNS where a name leads and for the TXT records of another. Throws only for name servers that
 * are no addresses.
 * @param servers `address` or `address:port` of name servers; the system's unless told
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

/** The records of one type that a name has, as a zone file says their values: of an MX its priority and host. */
export interface DnsRecordLookupResult {
  values: string[]
  /** No name server answered. */
  silent: boolean
}

/**
 * Asks DNS for the records of one type.
 * @param servers as of `lookUpAddressesAndTxt`
 */
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
