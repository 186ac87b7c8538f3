import { domainToASCII } from 'node:url'

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const NAME = new RegExp(`^(${LABEL}\\.)+(${LABEL})$`)

/**
 * A domain name as the edge and DNS write it (lower case, IDNA), or null for what is none
 * (RFC 1123 host names with at least two labels, at most 253 characters, no address).
 */
export function domainName(text: string): string | null {
  const typed = text.trim().toLowerCase().replace(/\.$/, '')
  if (!typed || /[\s/:?#@\\%*]/.test(typed)) return null
  const name = domainToASCII(typed)
  if (name.length > 253 || !NAME.test(name)) return null
  return /^[0-9.]+$/.test(name) ? null : name
}
