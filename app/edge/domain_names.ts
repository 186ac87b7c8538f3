import { getPublicSuffix } from 'tldts'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

const LABEL_PATTERN = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN_NAME_PATTERN = new RegExp(`^(${LABEL_PATTERN}\\.)+(${LABEL_PATTERN})$`)
const EXAMPLE_MESSAGE = 'Enter a domain, for example shop.example.com.'

/**
 * Top-level domains that are never part of a public name (RFC 6761, 6762, 7686, 8375; ICANN's
 * .internal).
 */
const PRIVATE_TLDS = ['localhost', 'local', 'internal', 'invalid', 'onion', 'arpa']

/**
 * Returns a name in lower case and IDNA form, as DNS and the edge use it. Null unless it is an RFC 1123
 * host name of two or more labels and at most 253 characters. Also null for IP addresses, private
 * top-level domains and public suffixes.
 */
export function normalizeDomainName(text: string): string | null {
  const read = parseDomain(text)
  return 'name' in read ? read.name : null
}

export function findDomainNameProblem(text: string): string | null {
  const read = parseDomain(text)
  return 'problem' in read ? read.problem : null
}

export function parseDomain(text: string): { name: string } | { problem: string } {
  const typed = text.trim().toLowerCase().replace(/\.$/, '')
  const shown = `"${text.trim().slice(0, 100)}"`
  const no = (problem: string) => ({ problem })
  if (!typed) return no(EXAMPLE_MESSAGE)
  if (/\s/.test(typed)) return no(`${shown} contains a space. ${EXAMPLE_MESSAGE}`)
  if (isIP(typed.replace(/^\[|\]$/g, '')) || /^[0-9.]+$/.test(typed)) {
    return no(`${shown} is an IP address. ${EXAMPLE_MESSAGE}`)
  }
  if (typed.includes('*')) {
    return no(`${shown} is a wildcard. Add each name separately, without the *.`)
  }
  if (/[/:?#@\\%]/.test(typed)) {
    return no(`${shown} is more than a domain. Leave out https:// and everything after the domain.`)
  }
  const name = domainToASCII(typed)
  if (!name.includes('.')) return no(`${shown} is not a full domain name. ${EXAMPLE_MESSAGE}`)
  if (name.length > 253) return no('This name is longer than the 253 characters that DNS allows.')
  if (!DOMAIN_NAME_PATTERN.test(name))
    return no(`${shown} is not a valid domain name: ${labelProblem(name)}`)
  if (PRIVATE_TLDS.includes(name.slice(name.lastIndexOf('.') + 1))) {
    return no(`${name} exists only in private networks. Visitors could not reach it.`)
  }
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name) {
    return no(`${name} is a public suffix, like com. Enter a domain below it.`)
  }
  return { name }
}

function labelProblem(name: string): string {
  const labels = name.split('.')
  if (labels.some((label) => label.length > 63))
    return 'a part between two dots has more than 63 characters.'
  if (labels.includes('')) return 'two dots follow each other without text between them.'
  if (labels.some((label) => /^-|-$/.test(label))) return 'a part begins or ends with -.'
  return 'it may contain only letters, digits, dots and -.'
}
