import { vaultErrors } from '../errors.js'

/** Maximum length of an object name in UTF-8 bytes (product, "Vault"). */
export const MAX_NAME_BYTES = 1024

export interface ObjectAddress {
  /** The vault's public key. */
  key: string
  /** The object name, decoded and checked. */
  name: string
  /** The raw query without `?`; empty if there is none. */
  query: string
}

/**
 * Returns the name if it is valid: UTF-8, 1 to 1,024 bytes, no empty, `.` or `..` segment, no control
 * characters.
 * @throws `name` otherwise
 */
export function checkName(name: string): string {
  const isGood =
    name.isWellFormed() &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/\p{Cc}/u.test(name) &&
    name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  if (!isGood) throw vaultErrors.name()
  return name
}

/**
 * Decodes a name from a URL once, strictly.
 * @throws `bad_request` for invalid UTF-8 or percent-encoding, `name` for an invalid name
 */
export function decodeName(encoded: string): string {
  if (/[^\x21-\x7e]/.test(encoded)) throw vaultErrors.badRequest()
  return checkName(encoded.includes('%') ? decoded(encoded) : encoded)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw vaultErrors.badRequest()
  }
}

/** Encodes a name for a URL: all but letters, digits and `-._~/` is percent-encoded. */
export function encodeName(name: string): string {
  return name.split('/').map(encodeSegment).join('/')
}

function encodeSegment(segment: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(segment).replace(/[!'()*]/g, hex)
}

/**
 * Parses `/{vault key}/{name}?query`; returns undefined if the URL names no object. Throws like `decodeName`.
 */
export function parseObjectAddress(url: string): ObjectAddress | undefined {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const slash = path.indexOf('/', 1)
  if (path[0] !== '/' || slash < 2 || slash === path.length - 1) return undefined
  return {
    key: path.slice(1, slash),
    name: decodeName(path.slice(slash + 1)),
    query: mark < 0 ? '' : url.slice(mark + 1),
  }
}

/**
 * Joins a folder (which may be empty or have slashes around it) and a file name.
 * @throws `name` if the result would leave the folder
 */
export function joinName(folder: string, filename: string): string {
  const inside = folder.replace(/^\/+|\/+$/g, '')
  return checkName(inside ? `${inside}/${filename}` : filename)
}

/**
 * Parses a query strictly. A repeated parameter or invalid UTF-8 is ambiguous.
 * @throws `bad_request` for those
 */
export function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const pair of query.split('&').filter(Boolean)) {
    const [name, value] = pair.replaceAll('+', ' ').split(/=(.*)/s, 2).map(decoded)
    if (parameters.has(name)) throw vaultErrors.badRequest()
    parameters.set(name, value ?? '')
  }
  return parameters
}
