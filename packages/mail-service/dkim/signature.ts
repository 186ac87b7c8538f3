import { createHash, sign, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { readHeader, type HeaderField } from '../smtp/headers.js'

export interface SigningKey {
  domain: string
  selector: string
  /** The private key in parsed form, because parsing an RSA key takes as long as signing with it. */
  privateKey: KeyObject
}

/**
 * Header fields to sign: sender, recipients, subject and MIME structure (RFC 6376, 5.4.1), and unsubscription (RFC
 * 8058, 4).
 */
const SIGNED_HEADERS = new Set([
  'from',
  'sender',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'to',
  'cc',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'content-id',
  'content-description',
  'in-reply-to',
  'references',
  'list-id',
  'list-help',
  'list-unsubscribe',
  'list-subscribe',
  'list-unsubscribe-post',
  'list-post',
  'list-owner',
  'list-archive',
])

const signWith = promisify(sign)

/**
 * Returns the message's DKIM-Signature field, ending with CRLF (RFC 6376, rsa-sha256, relaxed/relaxed). The message
 * must have CRLF line ends. Libraries need four times as long, because they parse the key for each message and use
 * streams.
 */
export async function signatureOf(raw: Buffer, key: SigningKey, now = new Date()): Promise<string> {
  const { fields, end } = readHeader(raw)
  // RFC 6376 (5.4.2) requires repeated fields in order from last to first. An additional "from" in `h=` prevents others
  // from adding a second From field (8.15).
  const signed = fields.filter(({ name }) => SIGNED_HEADERS.has(name)).toReversed()
  const bodyHash = createHash('sha256').update(relaxedBody(raw, end), 'latin1').digest('base64')
  const tags = [
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${key.domain}; s=${key.selector}`,
    `t=${Math.floor(now.getTime() / 1_000)}; bh=${bodyHash}`,
    `h=${[...signed.map(({ name }) => name), 'from'].join(':\r\n\t ')}`,
    'b=',
  ]
  const field = `DKIM-Signature: ${tags.join(';\r\n\t')}`
  const own = relaxedField({ name: 'dkim-signature', raw: field }).slice(0, -2)
  const text = signed.map(relaxedField).join('') + own
  const signature = await signWith('sha256', Buffer.from(text, 'latin1'), key.privateKey)
  return `${field}${signature.toString('base64').replaceAll(/.{72}(?=.)/g, '$&\r\n\t ')}\r\n`
}

function relaxedField(field: HeaderField): string {
  const value = field.raw.slice(field.raw.indexOf(':') + 1).replaceAll('\r\n', '')
  return `${field.name}:${value.replaceAll(/[ \t]+/g, ' ').replaceAll(/^ | $/g, '')}\r\n`
}

function relaxedBody(raw: Buffer, headerEnd: number): string {
  const text = raw
    .toString('latin1', Math.min(headerEnd + 2, raw.length))
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(' \r\n', '\r\n')
  let end = text.endsWith(' ') ? text.length - 1 : text.length
  while (end > 1 && text.startsWith('\r\n', end - 2)) end -= 2
  return end > 0 ? `${text.slice(0, end)}\r\n` : ''
}
