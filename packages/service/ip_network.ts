import { isIPv6 } from 'node:net'

/**
 * Returns the network to which a rate limit applies: the IPv4 address itself, or the /64 of an IPv6 address, because
 * one subscriber has a whole /64. All spellings of an address return the same text. Text that is not an address is
 * returned unchanged.
 */
export function rateLimitNetwork(address: string): string {
  const groups = groupsOf(address)
  if (!groups) return address
  const [high, low] = groups.slice(6)
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

/** Returns whether an address is in 127.0.0.0/8, or is ::1. */
export function isLoopback(address: string): boolean {
  const isOne = groupsOf(address)?.join() === '0,0,0,0,0,0,0,1'
  return isOne || /^127\.\d+\.\d+\.\d+$/.test(rateLimitNetwork(address))
}

/**
 * Returns the eight groups of an IPv6 address without its zone (RFC 4291, 2.2). Returns undefined for text that is not
 * an IPv6 address.
 */
function groupsOf(address: string): number[] | undefined {
  const [plain] = address.split('%', 1)
  if (!isIPv6(plain)) return undefined
  // The URL parser normalizes the address: it writes a trailing IPv4 address as two groups, and drops leading zeros.
  const [head, tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const middle = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...middle, ...right].map((group) => parseInt(group, 16))
}
