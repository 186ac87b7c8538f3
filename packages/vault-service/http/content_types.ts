import { charset, lookup } from 'mime-types'

/**
 * Content types that browsers display without running scripts in them, besides audio, video and fonts (`isInlineType`).
 * Browsers must download objects of all other types.
 */
const inline = new Set([
  ...['png', 'jpeg', 'gif', 'webp', 'avif', 'apng', 'bmp', 'x-icon', 'vnd.microsoft.icon'].map(
    (kind) => `image/${kind}`
  ),
  'text/plain',
  'text/css',
  'text/javascript',
  'application/javascript',
  'application/json',
  'application/pdf',
])

const compressed =
  /^(?:text\/.+|application\/(?:json|javascript|xml|x-ndjson|wasm|rtf|sql|yaml|toml)|.+\+(?:json|xml))$/

/**
 * Returns the content type for the extension of a file name. Does not look at the content. Unknown extensions get
 * `application/octet-stream`.
 */
export function contentTypeFromName(name: string): string {
  const type = lookup(name)
  if (!type) return 'application/octet-stream'
  const set = charset(type)
  return set ? `${type}; charset=${set.toLowerCase()}` : type
}

const token = `[\\w!#$&^.+-]+`
const oneType = new RegExp(
  `^${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|"[\\w .+/-]*"))*$`
)

/**
 * Returns the content type unchanged if it is safe. Returns `application/octet-stream` if a browser could interpret the
 * text as another type or as a second header.
 */
export function safeContentType(type: string): string {
  return oneType.test(type) ? type : 'application/octet-stream'
}

export function mimeEssence(type: string): string {
  return type.split(';', 1)[0].trim().toLowerCase()
}

/** Returns whether a browser may display objects of this type, instead of downloading them. */
export function isInlineType(type: string): boolean {
  const essence = mimeEssence(type)
  if (/[+/](?:xml|html)$/.test(essence)) return false
  return inline.has(essence) || /^(?:audio|video|font)\//.test(essence)
}

export function isCompressibleType(type: string): boolean {
  return compressed.test(mimeEssence(type))
}

/** Returns a Content-Disposition header with the file name as ASCII and as UTF-8 (RFC 6266, RFC 8187). */
export function attachmentDisposition(name: string): string {
  const file = name.slice(name.lastIndexOf('/') + 1)
  const plain = file.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  const encoded = encodeURIComponent(file).replace(/['()*]/g, hex)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
