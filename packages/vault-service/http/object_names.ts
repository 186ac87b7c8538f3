import { vaultErrors } from '../errors.js'

/** In UTF-8 bytes (docs/product.md, "Vault"). */
export const MAX_NAME_BYTES = 1024

export interface ObjectAddress {
  key: string
  /** Decoded and checked. */
  name: string
  /** Query string without the `?`, not decoded. Empty if there is none. */
  query: string
}

/**
 * @throws VaultError `name` unless it is UTF-8 of 1 to 1,024 bytes, without control characters and without empty, `.`
 *   or `..` segments
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
 * Checks the name of an object that will be created. XML 1.0, and so an S3 list, cannot represent U+FFFE and U+FFFF.
 * `checkName` accepts them, because existing objects with such names must remain readable and deletable.
 * @throws VaultError `name` like `checkName`, or if the name contains U+FFFE or U+FFFF
 */
export function checkNewName(name: string): string {
  if (/[\ufffe\uffff]/.test(name)) throw vaultErrors.name()
  return checkName(name)
}

/**
 * Decodes an object's name from a URL, exactly once.
 * @throws VaultError `bad_request` for invalid UTF-8 or percent-encoding, `name` for an invalid name
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

/** Percent-encodes all characters except letters, digits and `-._~/`. */
export function encodeName(name: string): string {
  return name.split('/').map(encodeSegment).join('/')
}

function encodeSegment(segment: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(segment).replace(/[!'()*]/g, hex)
}

/**
 * Parses `/{vault key}/{name}?query`. Returns undefined if the URL has another form.
 * @throws VaultError like `decodeName`
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
 * Returns the name of an object from a folder and a file name.
 * @param folder may be empty or have slashes around it
 * @throws VaultError `name` for an invalid name, such as one that leads out of the folder by `..`
 */
export function joinName(folder: string, filename: string): string {
  let [start, end] = [0, folder.length]
  while (folder[start] === '/') start++
  while (end > start && folder[end - 1] === '/') end--
  const inside = folder.slice(start, end)
  return checkName(inside ? `${inside}/${filename}` : filename)
}

/** @throws VaultError `bad_request` for repeated parameters, whose meaning is ambiguous, or invalid UTF-8 */
export function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const pair of query.split('&').filter(Boolean)) {
    const [name, value] = pair.replaceAll('+', ' ').split(/=(.*)/s, 2).map(decoded)
    if (parameters.has(name)) throw vaultErrors.badRequest()
    parameters.set(name, value ?? '')
  }
  return parameters
}
