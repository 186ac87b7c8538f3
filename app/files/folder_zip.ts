import { FOLDER_ZIP_LIMITS } from '#files/errors'
import { bytesToLosslessText } from '#guest/public'
import { linkLeadsOutside } from '#files/link_leads_outside'
import { createMinorGcTrigger } from '#files/machine/free_buffers_early'
import type { FolderTar } from '#files/machine/web_root'
import { rechunk } from '#files/machine/rechunk'
import { writeZip, type ZipPart } from '#files/zip_writer'
import type { Readable } from 'node:stream'
import { extract, type Extract, type Header } from 'tar-stream'

/**
 * Makes tar-stream decode each byte as one character. Names that are not UTF-8 then keep their
 * bytes.
 */
const LATIN1_NAMES = { filenameEncoding: 'latin1' } as object

const [FILE, LINK, FOLDER] = [0o100000, 0o120000, 0o040000]
const MAX_NOTES = 1_000
/** PATH_MAX without the final NUL. */
const MAX_LINK_TARGET_BYTES = 4_095

interface Entry extends AsyncIterable<Buffer> {
  header: Header
  resume(): unknown
}

/**
 * Zips a folder. Keeps links that do not lead outside the ZIP. A text file in the ZIP lists what is
 * missing. The customer controls the instance, so the tar can contain anything. But no name in the
 * ZIP leads outside the folder in which the ZIP is unpacked.
 * @param names the requested names in the folder, or null for all
 */
export async function* zipFolder(
  { tar, notes }: FolderTar,
  names: string[] | null
): AsyncGenerator<Buffer> {
  const only = names && new Set(names)
  const tidy = createMinorGcTrigger()
  try {
    for await (const piece of rechunk(writeZip(partsOf(tar, notes, only), FOLDER_ZIP_LIMITS))) {
      tidy(piece.length)
      yield piece
    }
  } finally {
    tar.destroy()
  }
}

async function* partsOf(
  tar: Readable,
  packingNotes: Promise<string>,
  only: Set<string> | null
): AsyncGenerator<ZipPart> {
  const entries = extract(LATIN1_NAMES)
  rejectPaxHeaders(entries)
  tar.once('error', (error) => entries.destroy(error))
  tar.pipe(entries as unknown as NodeJS.WritableStream)
  const notes = new ZipNotes()
  const top = new Set<string>()
  for await (const entry of entries as unknown as AsyncIterable<Entry>) {
    const part = partOf(entry, notes, only)
    if (part) {
      top.add(part.path.split('/')[0].toLowerCase())
      yield part
    }
    entry.resume()
  }
  notes.add(await packingNotes)
  if (notes.isEmpty) return
  const content = Buffer.from(notes.toString())
  const path = freeName(top)
  const [mode, modified] = [FILE | 0o644, new Date()]
  yield { path, mode, modified, size: content.length, content: once(content) }
}

/**
 * Rejects pax headers, which the instance's tar does not write in the GNU format. tar-stream would
 * copy all records of a global pax header, up to 4 MB, for each later entry.
 */
function rejectPaxHeaders(entries: Extract): void {
  const decoder = entries as unknown as LongHeaderDecoder
  const decode = decoder._decodeLongHeader
  decoder._decodeLongHeader = function (content) {
    if (this._header.type?.startsWith('pax')) throw new Error('The machine sent a pax header')
    decode.call(this, content)
  }
}

/** Internal methods of tar-stream that decode long names. */
interface LongHeaderDecoder {
  _header: Header
  _decodeLongHeader(this: LongHeaderDecoder, content: Buffer): void
}

function partOf(entry: Entry, notes: ZipNotes, only: Set<string> | null): ZipPart | null {
  const { type, name, linkname, mode: permissions = 0, mtime, size = 0 } = entry.header
  const real = bytesToLosslessText(Buffer.from(name, 'latin1'))
  const segments = real.split('/').filter((each) => each !== '' && each !== '.')
  const path = segments
    .map(zipName)
    .join('/')
    .replace(/^([a-z]):/i, '$1%3A')
  if (path === '' && type === 'directory') return null
  if (path === '' || segments.includes('..') || Buffer.byteLength(path) > 0xffff) {
    throw new Error('The machine sent a name that cannot be in its folder')
  }
  const modified = mtime && !Number.isNaN(mtime.getTime()) ? mtime : new Date(0)
  const attributes = { modified, mode: permissions & 0o777 }
  if (type === 'directory') {
    return {
      ...attributes,
      path: `${path}/`,
      mode: FOLDER | attributes.mode,
      size: 0,
      content: none(),
    }
  }
  if (linkname && linkname.length > MAX_LINK_TARGET_BYTES) {
    throw new Error('The machine sent a link target that is too long')
  }
  if (type === 'symlink') {
    const target = bytesToLosslessText(Buffer.from(linkname ?? '', 'latin1'))
    if (linkLeadsOutside(segments, target, only)) {
      notes.add(`${path}: a link to ${target.toWellFormed()}, which is outside this archive`)
      return null
    }
    const content = Buffer.from(target.split('/').map(zipName).join('/'))
    return { ...attributes, path, mode: LINK | 0o777, size: content.length, content: once(content) }
  }
  if (type !== 'file' && type !== 'contiguous-file') {
    notes.add(`${path}: not a file, a folder or a link`)
    return null
  }
  return { ...attributes, path, mode: FILE | attributes.mode, size, content: entry }
}

/**
 * Escapes names as URLs do (`%E9`): bytes that are not UTF-8, control characters, and the
 * backslash, which separates folders on Windows.
 */
function zipName(name: string): string {
  const escaped = /[\udc80-\udcff\x00-\x1f\x7f\\]/gu
  const hex = (code: number) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  return name.replaceAll(escaped, (character) => hex(character.charCodeAt(0) & 0xff))
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}

async function* none(): AsyncGenerator<Buffer> {}

/** Returns a name that no entry at the top of the ZIP has. Ignores case, as some file systems do. */
function freeName(top: Set<string>): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? 'MISSING FILES.txt' : `MISSING FILES (${count}).txt`
    if (!top.has(name.toLowerCase())) return name
  }
}

/**
 * Collects the notes about files that are missing in the ZIP, or that changed while they were read.
 */
class ZipNotes {
  readonly #lines: string[] = []
  #more = 0

  add(note: string): void {
    for (const line of note.split('\n')) {
      if (line === '') continue
      if (this.#lines.length < MAX_NOTES) this.#lines.push(line.slice(0, 5_000))
      else this.#more++
    }
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  toString(): string {
    const more = this.#more > 0 ? [`and ${this.#more.toLocaleString('en')} more`] : []
    const head = 'These files are missing from this archive, or changed while they were read:'
    return `${[head, '', ...this.#lines, ...more].join('\r\n')}\r\n`
  }
}
