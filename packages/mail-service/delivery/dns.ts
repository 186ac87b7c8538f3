import { Resolver } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'

/** A DNS resolver. Its promises reject with the same errors as those of `node:dns`. */
export interface DnsResolver {
  mx(domain: string): Promise<{ exchange: string; priority: number }[]>
  /** Returns IPv4 and IPv6 addresses. */
  addresses(host: string): Promise<string[]>
  txt(name: string): Promise<string[]>
}

/** Includes retries. */
const LOOKUP_TIMEOUT_MS = 15_000

/** Returns whether DNS answered that the name or record does not exist. Returns false for a look-up that failed. */
export function isNotFoundError(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === 'ENOTFOUND' || code === 'ENODATA'
}

/** Uses the system's name servers, with a total timeout for each look-up. */
export function createSystemResolver(): DnsResolver {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  const soon = <T>(lookup: Promise<T>): Promise<T> => {
    const ending = new AbortController()
    const late = wait(LOOKUP_TIMEOUT_MS, undefined, { signal: ending.signal }).then(() => {
      throw Object.assign(new Error('The name servers do not respond'), { code: 'ETIMEOUT' })
    })
    return Promise.race([lookup, late]).finally(() => ending.abort()) as Promise<T>
  }
  return {
    mx: (domain) => soon(resolver.resolveMx(domain)),
    txt: async (name) => (await soon(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    addresses: (host) => soon(bothFamilies(resolver, host)),
  }
}

async function bothFamilies(resolver: Resolver, host: string): Promise<string[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = [four, six].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (addresses.length > 0) return addresses
  const failure = [four, six].find(
    (each) => each.status === 'rejected' && !isNotFoundError(each.reason)
  )
  throw (failure ?? four).status === 'rejected'
    ? ((failure ?? four) as PromiseRejectedResult).reason
    : new Error('No address')
}
