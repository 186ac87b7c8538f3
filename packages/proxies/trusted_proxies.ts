import { BlockList, isIP } from 'node:net'

/**
 * Returns a function that checks whether a peer's headers, such as `X-Forwarded-For`, may be trusted. Trusted peers are
 * loopback addresses, and those in `list`, such as `192.0.2.7, 10.8.0.0/16`.
 * @throws Error for an invalid list, because it would weaken the rate limit of sign-in
 */
export function createTrustedProxyCheck(list = ''): (address: string | undefined) => boolean {
  const trusted = new BlockList()
  trusted.addSubnet('127.0.0.0', 8, 'ipv4')
  trusted.addAddress('::1', 'ipv6')
  for (const part of list.split(/[\s,]+/).filter(Boolean)) {
    const [address, bits, ...rest] = part.split('/')
    const family = isIP(address)
    const maxPrefixLength = family === 4 ? 32 : 128
    const length = bits === undefined ? maxPrefixLength : Number(bits)
    const isLength = /^\d+$/.test(bits ?? '0') && length > 0 && length <= maxPrefixLength
    if (family === 0 || rest.length > 0 || !isLength) {
      throw new Error(
        `TRUSTED_PROXIES has "${part}", which is not an IP address or a network such as 10.8.0.0/16`
      )
    }
    trusted.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const family = isIP(address ?? '')
    return family !== 0 && trusted.check(address!, family === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * Returns the client's address. Starts with the connection's peer, then reads `X-Forwarded-For` from its end, up to the
 * first address that is not a trusted proxy. The client may have forged the entries before it.
 */
export function clientAddress(
  peer: string,
  forwarded: string | undefined,
  isTrusted: (address: string | undefined) => boolean
): string {
  const named = forwarded?.split(',').map((one) => one.trim()) ?? []
  const chain = [...named, peer].reverse()
  return chain.find((address) => !isTrusted(address)) ?? chain.at(-1)!
}
