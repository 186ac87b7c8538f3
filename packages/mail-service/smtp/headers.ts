import { isSameAddress, parseMailboxAddress } from '../addresses.js'
import { MAX_HEADER_BYTES, MAX_HEADER_LINES } from '../limits.js'

export interface HeaderField {
  name: string
  /** The field with its line ends, including folded lines. */
  raw: string
}

function endOfHeader(raw: Buffer): number {
  const end = raw.subarray(0, 2).equals(Buffer.from('\r\n')) ? 0 : raw.indexOf('\r\n\r\n') + 2
  return end === 1 ? raw.length : end
}

/**
 * Returns the reason to reject a message's header, if any. The limits of its size also protect memory, because each
 * field is copied several times.
 */
export function headerProblem(raw: Buffer): string | undefined {
  const end = endOfHeader(raw)
  if (end > MAX_HEADER_BYTES) return `The header is longer than ${MAX_HEADER_BYTES / 1024} kB`
  let lines = 0
  for (let at = raw.indexOf(10); at >= 0 && at < end; at = raw.indexOf(10, at + 1)) lines++
  return lines > MAX_HEADER_LINES ? `The header has more than ${MAX_HEADER_LINES} lines` : undefined
}

/**
 * Returns the header's fields in order, decoded as latin1. `end` is the offset after the last field: the empty line
 * before the body.
 */
export function readHeader(raw: Buffer): { fields: HeaderField[]; end: number } {
  const end = endOfHeader(raw)
  const text = raw.subarray(0, end).toString('latin1')
  const fields: HeaderField[] = []
  for (const line of text ? text.split(/(?<=\r\n)/) : []) {
    const last = fields.at(-1)
    if (/^[ \t]/.test(line) && last) last.raw += line
    else fields.push({ name: line.split(':', 1)[0]!.trim().toLowerCase(), raw: line })
  }
  return { fields, end }
}

export function unfoldedFieldValue({ raw }: HeaderField): string {
  return unfolded(raw).trim()
}

/** Returns the field's value, joined to one line. Spaces stay unchanged. */
function unfolded(raw: string): string {
  return raw.slice(raw.indexOf(':') + 1).replaceAll('\r\n', '')
}

/** Returns the address in a field of this name, if the field occurs once and contains exactly one mailbox. */
export function singleMailboxOf(fields: HeaderField[], name: string): string | undefined {
  const [field, ...more] = fields.filter((one) => one.name === name)
  return field && !more.length ? parseMailboxAddress(unfolded(field.raw)) : undefined
}

/** Start of a header field (RFC 5322, 3.6.8). The space before the colon is obsolete, but allowed (4.5). */
const FIELD_START_PATTERN = /^[!-9;-~]+[ \t]*:/

export function senderHeaderProblem(fields: HeaderField[], email: string): string | undefined {
  const unnamed = fields.find(({ raw }) => !FIELD_START_PATTERN.test(raw))
  if (unnamed) {
    // At such a line, some programs assume the end of the header, and others read another field name.
    return `Each line of the header must begin with a name and a colon. This one does not: ${JSON.stringify(unnamed.raw.trim().slice(0, 60))}`
  }
  const count = (name: string) => fields.filter((field) => field.name === name).length
  const isTheirs = (name: string) => isSameAddress(singleMailboxOf(fields, name) ?? '', email)
  if (count('from') !== 1) return 'A message needs exactly one From.'
  const forms = `${email} or Name <${email}>, with nothing else in it`
  if (!isTheirs('from')) return `From must be ${forms}.`
  if (count('sender') && !isTheirs('sender')) {
    return `Sender, if present, must be ${forms}.`
  }
  return undefined
}

/**
 * Header fields that recipients must not get. Bcc reveals other recipients (RFC 5322, 3.6.3). The last mail server adds
 * Return-Path (RFC 5321, 4.4). Only the receiving server may add Authentication-Results (RFC 8601, 5). The idempotency
 * key is meant only for this service.
 */
const REMOVED_FIELDS = [
  'bcc',
  'resent-bcc',
  'return-path',
  'authentication-results',
  'idempotency-key',
  'x-idempotency-key',
]

/**
 * Adds the fields Message-ID and Date in front if they are missing, and removes `REMOVED_FIELDS`. All other bytes stay
 * unchanged.
 */
export function completeSubmittedMessage(
  raw: Buffer,
  { fields, end }: { fields: HeaderField[]; end: number },
  messageId: string,
  now = new Date()
): Buffer {
  const has = (name: string) => fields.some((field) => field.name === name)
  const added = [
    has('message-id') ? '' : `Message-ID: <${messageId}>\r\n`,
    has('date') ? '' : `Date: ${now.toUTCString().replace('GMT', '+0000')}\r\n`,
  ].join('')
  if (!REMOVED_FIELDS.some(has)) return added ? Buffer.concat([Buffer.from(added), raw]) : raw
  const remaining = fields.filter(({ name }) => !REMOVED_FIELDS.includes(name))
  const head = added + remaining.map((field) => field.raw).join('')
  return Buffer.concat([Buffer.from(head, 'latin1'), raw.subarray(end)])
}
