import { invalidPath } from '#guest/errors'
import { losslessTextToBytes, decodeRawName, encodeRawName } from '#guest/machine/raw_names'
import { webRoot } from '#guest/machine/web_root'
import { basename } from 'node:path'

const MAX_NAME_BYTES = 255
/** Maximum path length below the web root. Linux's PATH_MAX is 4,096, with the web root. */
const MAX_PATH_BYTES = 4_000
/** Prefix of Berth's own temporary files. File lists hide them. */
export const TEMPORARY_FILE_PREFIX = '.berth-'

/**
 * Returns a path relative to the web root, without slashes at either end. `''` and `/` are the web root itself
 * (docs/product.md, "Files and git"). Accepts names that `encodePathInWebRoot` has encoded, and decodes them. The
 * instance checks the path again, because only the instance knows its symlinks.
 * @throws 422 for `..` and NUL (also URL-encoded), `//` at the beginning, and names that are reserved or too long
 */
export function parsePathInWebRoot(input: unknown, field = 'path'): string {
  if (input === undefined || input === null) return ''
  if (typeof input !== 'string') throw invalidPath('Enter a path as text.', field)
  if (input.startsWith('//'))
    throw invalidPath('Enter the path from the web root, without / at the beginning.', field)
  if (input.includes('\0')) throw invalidPath('A path cannot contain a NUL character.', field)
  if (!input.isWellFormed()) throw invalidPath('This path is not valid Unicode.', field)
  if (Buffer.byteLength(input) > MAX_PATH_BYTES) throw invalidPath('This path is too long.', field)
  const segments = input.split('/').filter((segment) => segment !== '' && segment !== '.')
  return segments.map((segment) => cleanSegment(segment, field)).join('/')
}

/**
 * Parses a path for git, shell commands and database columns, which accept only valid text.
 * @throws 422 at `field` if the path is not valid text
 */
export function parseTextPathInWebRoot(input: unknown, field = 'path'): string {
  const path = parsePathInWebRoot(input, field)
  if (!path.isWellFormed())
    throw invalidPath('This name is not valid text, so it cannot be used here.', field)
  return path
}

/** Matches names without characters that are special to web servers, process managers or shells. */
const PLAIN_NAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const PLAIN_DOT_NAME_PATTERN = /^\.?[A-Za-z0-9_][A-Za-z0-9._-]*$/

/**
 * Returns a folder relative to the web root. `/shop/`, `public_html/shop` and `/var/www/public_html/shop` all become
 * `shop`. Null if the folder is empty, too long or too deep, leads outside, or contains special characters. A leading
 * dot counts as special unless `dotNames` is set.
 */
export function parseRelativeWebFolder(
  text: string,
  { dotNames = false }: { dotNames?: boolean } = {}
): string | null {
  const inside = withoutWebRoot(text.trim())
  const parts = inside.split('/').filter((part) => part !== '')
  const fits = parts.length > 0 && parts.length <= 8 && inside.length <= 200
  const pattern = dotNames ? PLAIN_DOT_NAME_PATTERN : PLAIN_NAME_PATTERN
  return fits && parts.every((part) => pattern.test(part)) ? parts.join('/') : null
}

function withoutWebRoot(text: string): string {
  const name = basename(webRoot.path)
  const prefix = [webRoot.path, `/${name}`, name].find(
    (each) => text === each || text.startsWith(`${each}/`)
  )
  return prefix ? text.slice(prefix.length) : text
}

/** Encodes a path for requests, URLs and storage. `parsePathInWebRoot` decodes it again. */
export function encodePathInWebRoot(path: string): string {
  return path
    .split('/')
    .map((name) => encodeUnsafeName(name) ?? name)
    .join('/')
}

/** Returns null for names that need no encoding. */
export function encodeUnsafeName(name: string): string | null {
  return name.isWellFormed() && !containsTraversal(name) ? null : encodeRawName(name)
}

/** Parses a path to a file or folder. Rejects the web root itself. */
export function parseFilePathInWebRoot(input: unknown, field = 'path'): string {
  const path = parsePathInWebRoot(input, field)
  if (path === '') throw invalidPath('Choose a file or folder inside the web root.', field)
  return path
}

/**
 * Parses a file name. Allows spaces, quotes, line breaks and leading dashes.
 * @throws 422 at `field` for an empty or reserved name, `.`, `..`, and a name with a slash
 */
export function parseFileName(input: unknown, field = 'name'): string {
  if (typeof input !== 'string' || input === '') throw invalidPath('Enter a name.', field)
  if (input.includes('/')) throw invalidPath('A name cannot contain a slash.', field)
  if (input === '.' || input === '..')
    throw invalidPath('The system uses this name. Choose another one.', field)
  if (decodeRawName(input) !== null) throw assertNameNotReserved(field)
  return parsePathInWebRoot(input, field)
}

function assertNameNotReserved(field: string) {
  return invalidPath(
    `Names that begin with ${TEMPORARY_FILE_PREFIX} are reserved for Berth. Choose another name.`,
    field
  )
}

/** The folder is `''` for entries directly in the web root. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/')
  return { folder: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) }
}

export function joinPath(folder: string, name: string): string {
  return folder ? `${folder}/${name}` : name
}

function cleanSegment(segment: string, field: string): string {
  const raw = decodeRawName(segment)
  const name = raw ?? segment
  if (name === '..') throw invalidPath('A path cannot contain “..”.', field)
  if (name.startsWith(TEMPORARY_FILE_PREFIX)) throw assertNameNotReserved(field)
  if (losslessTextToBytes(name).length > MAX_NAME_BYTES) {
    throw invalidPath(
      `A name can have at most ${MAX_NAME_BYTES} bytes. Bangla letters take 3 bytes each. Choose a shorter name.`,
      field
    )
  }
  if (raw !== null && (raw === '.' || /[/\0]/.test(raw)))
    throw invalidPath('This is not a valid name.', field)
  if (raw === null && containsTraversal(name)) {
    throw invalidPath('A path cannot contain encoded dots, slashes or NUL characters.', field)
  }
  return name
}

function containsTraversal(name: string): boolean {
  const plain = decoded(name)
  return plain !== name && /^\.{1,2}$|[/\0]|^\.\.[/\\]/.test(plain)
}

/** URL-decodes a segment to find hidden `..`. Percent signs are otherwise legal in names. */
function decoded(segment: string): string {
  let text = segment
  for (let round = 0; round < 4 && text.includes('%'); round++) {
    try {
      const next = decodeURIComponent(text)
      if (next === text) break
      text = next
    } catch {
      break
    }
  }
  return text
}
