import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

type Purpose = 'bounce' | 'unsubscribe' | 'open'

/** Length in hexadecimal digits. 16 digits are 64 bits, too many to guess over SMTP or HTTP. */
const SIGNATURE_LENGTH = 16

/**
 * Returns the token of `/u/<token>`, the link that unsubscribes the recipient of a message.
 * @param key MAIL_KEY
 */
export function unsubscribeToken(key: string, messageId: string): string {
  return tokenFor('unsubscribe', key, messageId)
}

export function unsubscribeAddress(key: string, message: { id: string; domain: string }): string {
  return `u-${unsubscribeToken(key, message.id)}@${message.domain}`
}

export function trackingPixelToken(key: string, messageId: string): string {
  return tokenFor('open', key, messageId)
}

/**
 * Returns the address to which bounces of a message are sent. It is in lower case, because servers may change the case,
 * and fits in the 64 octets of a local part (RFC 5321, 4.5.3.1.1).
 */
export function returnPathFor(key: string, message: { id: string; domain: string }): string {
  return `b-${tokenFor('bounce', key, message.id)}@${message.domain}`
}

/** Returns undefined if the address is not a return path, or its signature is invalid. */
export function messageIdOfReturnPath(key: string, address: string): string | undefined {
  const token = /^b-([0-9a-f]+)@/i.exec(address)?.[1]
  return token && messageIdOfToken('bounce', key, token.toLowerCase())
}

/** Returns undefined if the address is not an unsubscribe address, or its signature is invalid. */
export function messageIdOfUnsubscribeAddress(key: string, address: string): string | undefined {
  const token = /^u-([0-9a-f]+)@/i.exec(address)?.[1]
  return token && messageIdOfToken('unsubscribe', key, token.toLowerCase())
}

/** Returns undefined if the token was not signed with this key for this purpose. */
export function messageIdOfToken(purpose: Purpose, key: string, token: string): string | undefined {
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9a-f]{16}$/
  const match = parts.exec(token)
  if (!match) return undefined
  const id = match.slice(1).join('-')
  const same = timingSafeEqual(Buffer.from(token), Buffer.from(tokenFor(purpose, key, id)))
  return same ? id : undefined
}

function tokenFor(purpose: Purpose, key: string, messageId: string): string {
  const digits = messageId.replaceAll('-', '').toLowerCase()
  const signed = createHmac('sha256', keyFor(key)).update(`${purpose}:${digits}`).digest('hex')
  return digits + signed.slice(0, SIGNATURE_LENGTH)
}

const keys = new Map<string, Buffer>()

function keyFor(key: string): Buffer {
  const known = keys.get(key)
  if (known) return known
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'mail tokens', 32))
  keys.set(key, derived)
  return derived
}
