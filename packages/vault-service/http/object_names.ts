import { vaultErrors } from '../errors.js'

/** Bytes of UTF-8 that a name may have (product, "Vault"). */
export const MAX_NAME_BYTES = 1024

/** What a request of an object names. */
export interface ObjectAddress {
  /** The vault's public key. */
  key: string
  /** The object, decoded and checked. */
  name: string
  /** The query as it came, without `?`; empty without one. */
  query: string
}

/**
 * An object's name as it may be stored: UTF-8, 1 to 1,024 bytes, no empty, `.` or `..` segment, no control
 * characters. Gives it back; refuses with `name`.
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
 * A name as it stands in an address, decoded once and strictly: what is no UTF-8 or no percent-encoding is
 * refused with `bad_request`, what comes out and may not be a name with `name`.
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

/** A name as it stands in an address: everything but letters, digits and `-._~/` in percent-encoding. */
export function encodeName(name: string): string {
  return name.split('/').map(encodeSegment).join('/')
}

function encodeSegment(segment: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(segment).replace(/[!'()*]/g, hex)
}

/** `/{vault key}/{name}?query` of a request; undefined where it names no object at all. Refuses like `decodeName`. */
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
 * The name that a `folder` (with or without slashes around it, may be empty) and a `filename` make. Refuses
 * what leads out of the folder with `name`.
 */
export function joinName(folder: string, filename: string): string {
  const inside = folder.replace(/^\/+|\/+$/g, '')
  return checkName(inside ? `${inside}/${filename}` : filename)
}

/**
 * What a query says, each name once, decoded strictly: of twice the same, or of what is no UTF-8, nobody knows what
 * was meant (`bad_request`).
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
