import { createHmac, timingSafeEqual } from 'node:crypto'
import { vaultErrors } from '../errors.js'
import type { Vault } from '../types.js'
import { encodeName } from './object_names.js'

export interface SignedLink {
  /** Method that the link allows. `GET` also allows HEAD. */
  method: 'GET' | 'PUT'
  name: string
  /** Seconds since 1970. */
  expires: number
  /** Whether browsers save the object as a file instead of displaying it. */
  download?: boolean
  size?: number
}

type Signer = Pick<Vault, 'key' | 'linkKey'>

/** Returns the path and query of a signed link. The signature covers all parts of the link. */
export function makeLink(vault: Signer, link: SignedLink): string {
  const expires = String(link.expires)
  const download = link.download ? '1' : null
  const size = link.size === undefined ? null : String(link.size)
  const query = new URLSearchParams({ expires })
  if (download) query.set('download', download)
  if (size) query.set('size', size)
  const { method, name } = link
  query.set('signature', signatureOf(vault, { method, name, expires, download, size }))
  return `/${vault.key}/${encodeName(name)}?${query}`
}

/** Does not verify the signature. */
export function hasLinkSignature(query: string): boolean {
  return query.includes('signature=')
}

/**
 * Verifies a signed link, and returns the parameters of the link. `now` is in milliseconds.
 * @throws VaultError `not_allowed` if there is no signature, `link_ended` if the link was changed or has expired
 */
export function checkLink(
  vault: Signer,
  request: { method: 'GET' | 'PUT'; name: string; query: string },
  now = Date.now()
): { download: boolean; size?: number } {
  if (!hasLinkSignature(request.query)) throw vaultErrors.notAllowed()
  const query = new URLSearchParams(request.query)
  const one = (part: string) => {
    const values = query.getAll(part)
    if (values.length > 1) throw vaultErrors.linkEnded()
    return values[0] ?? null
  }
  const [expires, download, size] = [one('expires') ?? '', one('download'), one('size')]
  const { method, name } = request
  const expected = Buffer.from(signatureOf(vault, { method, name, expires, download, size }))
  const sent = Buffer.from(one('signature') ?? '')
  // Compares the base64url texts and not the decoded bytes, because several texts can decode to the same bytes.
  const isRight = sent.length === expected.length && timingSafeEqual(sent, expected)
  if (!isRight || Number(expires) * 1000 <= now) throw vaultErrors.linkEnded()
  return { download: download !== null, size: size === null ? undefined : Number(size) }
}

interface Signed {
  method: string
  name: string
  expires: string
  download: string | null
  size: string | null
}

/**
 * Returns HMAC-SHA256 in base64url of the link's parts as a JSON array, in which different parts can never look the
 * same.
 */
function signatureOf(vault: Signer, { method, name, expires, download, size }: Signed): string {
  const text = JSON.stringify(['link', method, vault.key, name, expires, download, size])
  return createHmac('sha256', vault.linkKey).update(text).digest('base64url')
}
