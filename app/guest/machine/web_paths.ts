import { invalidPath } from '#guest/errors'
import { losslessTextToBytes, decodeRawName, encodeRawName } from '#guest/machine/raw_names'
import { webRoot } from '#guest/machine/web_root'
import { basename } from 'node:path'

const MAX_NAME_BYTES = 255
/** PATH_MAX less the web root. */
const MAX_PATH_BYTES = 4_000
/** What Berth calls its own temporary files; hidden from lists. */
export const TEMPORARY_FILE_PREFIX = '.berth-'

/**
 * A path as a call sends it, as a path below the web root: no slash at either end, `''` for the web
 * root itself. One leading slash is the web root's (product, "Files and git").
 * Refuses (422) what could mean anything outside: `..`, encoded or not, NUL, an absolute path.
 * Whatever this lets through is checked again on the machine, where links are known. Names that
 * plain text cannot carry come as `encodeWebPath` writes them.
 */
export function parseWebPath(input: unknown, field = 'path'): string {
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
 * As `parseWebPath`, for what carries text alone (git, a shell, a table): a name that is none is refused.
 */
export function parseTextWebPath(input: unknown, field = 'path'): string {
  const path = parseWebPath(input, field)
  if (!path.isWellFormed())
    throw invalidPath('This name is not valid text, so it cannot be used here.', field)
  return path
}

/** Names that web servers, process managers and shells read as nothing more than a name. */
const PLAIN_NAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/

/**
 * A folder below the web root that programs are set up with, relative to it and without outer
 * slashes; null for what is none: empty, absolute elsewhere, leading out, or with a name that is not
 * plain. `/shop/`, `public_html/shop` and `/var/www/public_html/shop` all are `shop`.
 */
export function parseRelativeWebFolder(text: string): string | null {
  const inside = withoutWebRoot(text.trim())
  const parts = inside.split('/').filter((part) => part !== '')
  const fits = parts.length > 0 && parts.length <= 8 && inside.length <= 200
  return fits && parts.every((part) => PLAIN_NAME_PATTERN.test(part)) ? parts.join('/') : null
}

function withoutWebRoot(text: string): string {
  const name = basename(webRoot.path)
  const prefix = [webRoot.path, `/${name}`, name].find(
    (each) => text === each || text.startsWith(`${each}/`)
  )
  return prefix ? text.slice(prefix.length) : text
}

/** A clean path as calls, addresses and stored input carry it: `parseWebPath` makes the same of it again. */
export function encodeWebPath(path: string): string {
  return path
    .split('/')
    .map((name) => encodeUnsafeName(name) ?? name)
    .join('/')
}

/** How the wire carries a name that is refused, or not text, as it is; null for all others. */
export function encodeUnsafeName(name: string): string | null {
  return name.isWellFormed() && !containsTraversal(name) ? null : encodeRawName(name)
}

/** As `parseWebPath`, for what must be something inside the web root. */
export function parseWebFilePath(input: unknown, field = 'path'): string {
  const path = parseWebPath(input, field)
  if (path === '') throw invalidPath('Choose a file or folder inside the web root.', field)
  return path
}

/** A single name, for what is to be made. Spaces, quotes, line breaks and leading dashes are fine. */
export function parseFileName(input: unknown, field = 'name'): string {
  if (typeof input !== 'string' || input === '') throw invalidPath('Enter a name.', field)
  if (input.includes('/')) throw invalidPath('A name cannot contain a slash.', field)
  if (input === '.' || input === '..')
    throw invalidPath('The system uses this name. Choose another one.', field)
  if (decodeRawName(input) !== null) throw assertNameNotReserved(field)
  return parseWebPath(input, field)
}

/** Berth's own temporary things are made, seen and touched by nobody else. */
function assertNameNotReserved(field: string) {
  return invalidPath(
    `Names that begin with ${TEMPORARY_FILE_PREFIX} are reserved for Berth. Choose another name.`,
    field
  )
}

/** Folder and name of a path; the folder of something in the web root is `''`. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/')
  return { folder: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) }
}

/** A path below another. */
export function joinPath(folder: string, name: string): string {
  return folder ? `${folder}/${name}` : name
}

function cleanSegment(segment: string, field: string): string {
  const raw = decodeRawName(segment)
  const name = raw ?? segment
  if (name === '..') throw invalidPath('A path cannot contain “..”.', field)
  if (name.startsWith(TEMPORARY_FILE_PREFIX)) throw assertNameNotReserved(field)
  if (losslessTextToBytes(name).length > MAX_NAME_BYTES) {
    throw invalidPath(`A name can have at most ${MAX_NAME_BYTES} bytes.`, field)
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

/** Percent signs are legal in names; only what hides a way out is refused, however often encoded. */
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
