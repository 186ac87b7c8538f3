import { domainToASCII } from 'node:url'

export interface EmailAddress {
  /** The domain in it is ASCII (RFC 5891) and in lower case. */
  address: string
  domain: string
}

/** Limit of RFC 5321, 4.5.3.1. */
const MAX_LOCAL_PART_LENGTH = 64
const MAX_ADDRESS_LENGTH = 254
const DOT_ATOM_PATTERN = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const LABEL_PATTERN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Parses one address without a display name. Returns the address, or an error message if it is invalid. */
export function parseEmailAddress(text: string): EmailAddress | string {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1) return 'Enter a valid email address.'

  if (/[^\x00-\x7f]/.test(local)) {
    return 'Only ASCII characters are allowed before the @, because most mail servers reject others (SMTPUTF8).'
  }
  if (!DOT_ATOM_PATTERN.test(local) || local.length > MAX_LOCAL_PART_LENGTH)
    return 'Enter a valid email address.'
  const domain = domainToASCII(text.slice(at + 1))
  const labels = domain.split('.')
  const isName = labels.length > 1 && labels.every((label) => LABEL_PATTERN.test(label))
  if (!isName || /^\d+$/.test(labels.at(-1)!)) return 'The part after the @ is not a domain.'
  const address = `${local}@${domain}`
  return address.length > MAX_ADDRESS_LENGTH ? 'This address is too long.' : { address, domain }
}

/**
 * White space, a word of a display name, and an address. A word is an atom with dots, UTF-8, an encoded word or a
 * quoted string.
 */
const SPACE_PATTERN = /[ \t]*/y
const WORD_PATTERN =
  /[\w!#$%&'*+/=?^`{|}~.\x80-\uffff-]+|"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e])*"/y
const ADDRESS_PATTERN = /[^\s<>()",:;\\]+@[^\s<>()",:;\\@]+/y
/**
 * A comment that contains no nested comment, quote, address or separator. All mail programs skip such a comment as a
 * whole.
 */
const COMMENT_PATTERN = /\([^()\\<>@,;:"\x00-\x1f\x7f]*\)/y

/**
 * Returns the address of a header field that contains exactly one mailbox (RFC 5322, 3.4): `address`, `<address>` or
 * `Name <address>`. Plain comments may follow each part. Returns undefined for lists, groups, source routes, obsolete
 * forms and trailing text, because mail programs disagree about their address.
 * @param value the field without its name and line ends
 */
export function parseMailboxAddress(value: string): string | undefined {
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(value)?.[0]
    at += match?.length ?? 0
    return match
  }
  const skip = () => {
    do take(SPACE_PATTERN)
    while (take(COMMENT_PATTERN) !== undefined)
  }
  take(SPACE_PATTERN)
  const plain = take(ADDRESS_PATTERN)
  do skip()
  while (plain === undefined && take(WORD_PATTERN) !== undefined)
  let address = plain
  if (value[at] === '<') {
    at++
    take(SPACE_PATTERN)
    address = take(ADDRESS_PATTERN)
    take(SPACE_PATTERN)
    if (value[at++] !== '>') return undefined
    skip()
  }
  if (address === undefined || at !== value.length) return undefined
  // A display name that looks like an address must be the sender's address. Otherwise it could deceive the recipient.
  if (plain !== undefined && !isSameAddress(plain, address)) return undefined
  return typeof parseEmailAddress(address) === 'string' ? undefined : address
}

/** Ignores case, as mail providers do. */
export function isSameAddress(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [parseEmailAddress(one), parseEmailAddress(other)]
  if (typeof a === 'string' || typeof b === 'string') return false
  return a.address.toLowerCase() === b.address.toLowerCase()
}
