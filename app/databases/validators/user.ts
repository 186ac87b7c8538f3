import { invalid } from '#core/app_error'
import type { Access } from '#databases/transformers/page_props'
import { isIPv4 } from 'node:net'

const accesses = ['read', 'write', 'all'] as const

/**
 * Returns a valid access level.
 * @throws 422 at `access`
 */
export function parseAccess(sent: unknown): Exclude<Access, 'other'> {
  const access = accesses.find((known) => known === sent)
  if (!access) throw invalid({ access: 'Choose read, write or all.' })
  return access
}

const ADDRESS_MESSAGE =
  'Enter one IP address such as 203.0.113.7, or a range such as 203.0.113.0/24.'

/**
 * Returns an IPv4 address or a range of at most 65,536 addresses, or null for none.
 * @throws 422 at `address`
 */
export function parseRemoteAddress(sent: unknown): string | null {
  if (sent === null || sent === undefined || sent === '') return null
  const text = typeof sent === 'string' ? sent.trim() : ''
  const [address, bits, ...rest] = text.split('/')
  const wrong = invalid({ address: ADDRESS_MESSAGE })
  if (!isIPv4(address) || rest.length > 0 || address.startsWith('0.')) throw wrong
  if (bits === undefined || bits === '32') return address
  if (!/^\d{1,2}$/.test(bits) || Number(bits) < 16 || Number(bits) > 31) throw wrong
  return `${address}/${bits}`
}
