import { badArchive, notAZip } from '#files/errors'
import { TEMPORARY_FILE_PREFIX } from '#guest/machine/public_without_database'
import { isAscii, isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

/** Caps of what is unpacked: of bombs and of a million entries. */
export const MAX_ARCHIVE_ENTRIES = 50_000
export const MAX_UNPACKED_BYTES = 4 * 1024 ** 3
/** An archive may grow this much once it is larger than `RATIO_CHECK_MIN_BYTES` bytes unpacked. */
const MAX_COMPRESSION_RATIO = 200
const RATIO_CHECK_MIN_BYTES = 200 * 1024 ** 2
const MAX_DIRECTORY_BYTES = 32 * 1024 ** 2
/** Holds the end record with its longest comment, and the whole directory of most archives. */
const TAIL_BYTES = 1024 ** 2

const END_SIGNATURE = 0x06054b50
const END_RECORD_BYTES = 22
const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_HEADER_BYTES = 46
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
const ZIP64_LOCATOR_BYTES = 20
const UNICODE_NAME_FIELD = 0x7075
/** Bit 11 of an entry's flags: its name is UTF-8. */
const UTF8_FLAG = 0x0800
const ZIP64_COUNT_MARKER = 0xffff
/** Unzip cuts longer ones. */
const MAX_NAME_BYTES = 4_000
/** The bytes 0x80-0xff of IBM's code page 437, the charset of names (APPNOTE.TXT, appendix D). */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
/** The systems whose attributes hold a Unix mode in their upper 16 bits. */
const UNIX_SYSTEMS = [3, 19]

/** Bytes of a link's target, as the kernel takes them (PATH_MAX). */
const MAX_LINK_TARGET_BYTES = 4_095
/** What desktops leave in archives for themselves, at the top and anywhere. */
const DESKTOP_FOLDER = '__MACOSX'
const DESKTOP_FILES = ['.DS_Store', 'Thumbs.db']
const [LINK, PLAIN_FILE] = [0o120000, 0o100644]

export interface ArchiveSummary {
  /** What is unpacked, without what is left out. */
  entries: number
  /** Bytes, as the archive's directory says. */
  unpacked: number
  largest: number
  /** The owner may read and change all of it, by the modes that come with it. */
  usable: boolean
  /** Unzip would write something other than is wanted: it needs `buildUnambiguousZipDirectory`. */
  unclear: boolean
  /** How many files of desktops are left out. */
  junk: number
  /** How many symbolic links there are. */
  links: number
}

/** Reads bytes of an archive. */
type Slice = (start: number, length: number) => Promise<Buffer>

interface Directory {
  bytes: Buffer
  count: number
  /** Where it begins in the file. */
  start: number
  /** Where it says that it begins: less, when something stands before the archive. */
  offset: number
}

/**
 * Reads the directory of a zip file and refuses what is not unpacked: names that lead out,
 * encryption, too many or too large entries, bombs. What it promises is held while unpacking,
 * because a directory can lie.
 */
export async function inspectZipBeforeUnpacking(
  size: number,
  slice: Slice
): Promise<ArchiveSummary> {
  return inspect(await readDirectory(size, slice), size)
}

/**
 * A directory with which unzip writes every name as it was meant: UTF-8 where it is that, with or
 * without its flag, else code page 437. It belongs in the archive from `start` on, in place of the
 * archive's own, and names what `inspectZipBeforeUnpacking` lets through, without what desktops left. With it unzip makes no
 * links: at `links` it writes files that hold their targets.
 */
export async function buildUnambiguousZipDirectory(
  size: number,
  slice: Slice
): Promise<{ start: number; bytes: Buffer; links: string[] }> {
  const directory = await readDirectory(size, slice)
  inspect(directory, size)
  const parts: Buffer[] = []
  const links: string[] = []
  let count = 0
  for (const entry of entriesOf(directory)) {
    const { header, name, meant } = entry
    if (isJunk(meant) || (isLink(entry) && !canBeLink(entry))) continue
    count++
    const clear = Buffer.from(header)
    const isClear = isClearlyNamed(entry)
    const extra = isClear ? Buffer.alloc(0) : unicodeField(name, meant)
    if (!isClear) clear.writeUInt16LE(header.readUInt16LE(8) & ~UTF8_FLAG, 8)
    clear.writeUInt16LE(extra.length, 30)
    clear.writeUInt16LE(0, 32)
    if (isLink(entry)) {
      links.push(meant.toString())
      clear.writeUInt16LE(PLAIN_FILE, 40)
    }
    parts.push(clear, name, extra)
  }
  const bytes = Buffer.concat(parts)
  const end = Buffer.alloc(END_RECORD_BYTES)
  end.writeUInt32LE(END_SIGNATURE, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(bytes.length, 12)
  end.writeUInt32LE(directory.offset, 16)
  return { start: directory.start, bytes: Buffer.concat([bytes, end]), links }
}

/** Finds the directory where unzip finds it: right before the last end record. */
async function readDirectory(size: number, slice: Slice): Promise<Directory> {
  if (size < END_RECORD_BYTES) throw notAZip()
  const tailAt = Math.max(0, size - TAIL_BYTES)
  const tail = await slice(tailAt, size - tailAt)
  const { at, count, length, offset } = endOf(tail)
  if (count > MAX_ARCHIVE_ENTRIES) throw tooMany()
  if (length > MAX_DIRECTORY_BYTES) throw badArchive('This archive lists too many files.')
  const start = tailAt + at - length
  if (start < offset) throw notAZip()
  const bytes = start < tailAt ? await slice(start, length) : tail.subarray(start - tailAt, at)
  return { bytes, count, start, offset }
}

function endOf(tail: Buffer) {
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue
    // Another one that would fit better is not the one that unzip takes.
    if (at + END_RECORD_BYTES + tail.readUInt16LE(at + 20) !== tail.length) throw damaged()
    const count = tail.readUInt16LE(at + 10)
    const length = tail.readUInt32LE(at + 12)
    const offset = tail.readUInt32LE(at + 16)
    if (count === ZIP64_COUNT_MARKER || offset === 0xffffffff || length === 0xffffffff)
      throw tooMany()
    if (
      at >= ZIP64_LOCATOR_BYTES &&
      tail.readUInt32LE(at - ZIP64_LOCATOR_BYTES) === ZIP64_LOCATOR_SIGNATURE
    )
      throw damaged()
    return { at, count, length, offset }
  }
  throw notAZip()
}

interface ArchiveEntry {
  header: Buffer
  /** As it stands there. */
  name: Buffer
  /** As it was meant, in UTF-8. */
  meant: Buffer
  /** Of its maker. */
  system: number
}

function* entriesOf({ bytes }: Directory): Generator<ArchiveEntry> {
  let at = 0
  while (at + ENTRY_HEADER_BYTES <= bytes.length && bytes.readUInt32LE(at) === ENTRY_SIGNATURE) {
    const header = bytes.subarray(at, (at += ENTRY_HEADER_BYTES))
    const name = bytes.subarray(at, (at += header.readUInt16LE(28)))
    const extra = bytes.subarray(at, (at += header.readUInt16LE(30)))
    at += header.readUInt16LE(32)
    const isFlagged = (header.readUInt16LE(8) & UTF8_FLAG) !== 0
    const decodedName = isFlagged ? name : (unicodeName(name, extra) ?? name)
    const meant = isUtf8(decodedName) ? decodedName : fromCp437(decodedName)
    yield { header, name, meant, system: header.readUInt16LE(4) >> 8 }
  }
}

function inspect(directory: Directory, size: number): ArchiveSummary {
  let entries = 0
  let unpacked = 0
  let packed = 0
  let largest = 0
  let usable = true
  let unclear = false
  let junk = 0
  const links = new Set<string>()
  const names: string[] = []
  for (const entry of entriesOf(directory)) {
    const { header, name, meant, system } = entry
    if (++entries > MAX_ARCHIVE_ENTRIES) throw tooMany()
    if (header.readUInt16LE(8) & 1) throw badArchive('This archive is encrypted.')
    const method = header.readUInt16LE(10)
    if (method !== 0 && method !== 8) {
      throw badArchive('This archive uses an unsupported compression method.')
    }
    const entrySize = header.readUInt32LE(24)
    packed += header.readUInt32LE(20)
    unpacked += entrySize
    largest = Math.max(largest, entrySize)
    const attributes = header.readUInt32LE(38)
    const isUnix = UNIX_SYSTEMS.includes(system)
    if (isJunk(meant)) junk++
    else if (isLink(entry)) links.add(plainOf(meant))
    else rejectSpecialEntry(system, attributes)
    names.push(plainOf(meant))
    usable &&= isUnix && isUsable(attributes >>> 16)
    rejectName(name)
    rejectName(meant)
    // What is not of Unix, unzip takes for other code pages, whatever it says.
    unclear ||= !meant.equals(name) || !(isUnix || isAscii(name))
  }
  if (entries !== directory.count) throw badArchive('The file list of this archive is damaged.')
  if (unpacked > MAX_UNPACKED_BYTES) {
    throw badArchive('This archive contains more than 4 GB.')
  }
  // Links are made last, so that nothing is written through one; where something was to be, they cannot be.
  if (links.size > 0 && names.some((name) => foldersOf(name).some((each) => links.has(each)))) {
    throw badArchive('This archive contains a file inside a symbolic link.')
  }
  // Entries that share their bytes, or shrink beyond what files do, are made to do harm.
  if (
    packed > size ||
    (unpacked > RATIO_CHECK_MIN_BYTES && unpacked > size * MAX_COMPRESSION_RATIO)
  ) {
    throw badArchive('The unpacked content of this archive is too large.')
  }
  if (junk > 0 && entries === junk)
    throw badArchive('This archive contains only desktop system files.')
  unclear ||= junk > 0 || links.size > 0
  const result = { unpacked, largest, usable, unclear, junk, links: links.size }
  return { ...result, entries: entries - junk }
}

/**
 * Unzip writes the name as it stands there. Then its flag stays as well: where another one stands before the
 * content, and the sizes stand behind it, unzip loses its place and calls the archive a bomb.
 */
function isClearlyNamed({ header, name, meant, system }: ArchiveEntry): boolean {
  const isFlagged = (header.readUInt16LE(8) & UTF8_FLAG) !== 0
  return meant.equals(name) && (isAscii(name) || (isFlagged && UNIX_SYSTEMS.includes(system)))
}

function isJunk(meant: Buffer): boolean {
  const steps = meant.toString().split('/')
  return steps[0] === DESKTOP_FOLDER || DESKTOP_FILES.includes(steps.at(-1)!)
}

/** Whatever made it: unzip makes links of some other systems' as well. */
function isLink({ header }: ArchiveEntry): boolean {
  return (header.readUInt16LE(40) & 0o170000) === LINK
}

/** Its file will be where its name says, and can be a target. */
function canBeLink({ header, meant }: ArchiveEntry): boolean {
  const name = meant.toString()
  return (
    header.readUInt32LE(24) <= MAX_LINK_TARGET_BYTES &&
    name === plainOf(meant) &&
    !/[\x00-\x1f\x7f\\]/.test(name) &&
    isUtf8(meant)
  )
}

/** A path without what means nothing in it. */
function plainOf(meant: Buffer): string {
  const steps = meant.toString().split('/')
  return steps.filter((step) => step !== '' && step !== '.').join('/')
}

/** All folders that something is in. */
function foldersOf(path: string): string[] {
  const steps = path.split('/').slice(0, -1)
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
}

/** Only files and folders, links aside. */
function rejectSpecialEntry(system: number, attributes: number): void {
  const kind = (attributes >>> 16) & 0o170000
  if (!UNIX_SYSTEMS.includes(system)) return
  if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000) {
    throw badArchive('This archive contains entries that are neither files nor folders.')
  }
}

function isUsable(mode: number): boolean {
  const needed = (mode & 0o170000) === 0o040000 ? 0o700 : 0o600
  return (mode & needed) === needed
}

/** What Info-ZIP's extra field (0x7075) says the name is; as in unzip, the last one that fits. */
function unicodeName(plain: Buffer, extra: Buffer): Buffer | null {
  let name: Buffer | null = null
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const length = extra.readUInt16LE(at + 2)
    // Version and checksum of the plain name come before it.
    if (extra.readUInt16LE(at) !== UNICODE_NAME_FIELD || length <= 5) continue
    if (at + 4 + length > extra.length || extra.readUInt32LE(at + 5) !== crc32(plain)) continue
    name = extra.subarray(at + 9, at + 4 + length)
  }
  return name
}

function unicodeField(plain: Buffer, name: Buffer): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(UNICODE_NAME_FIELD, 0)
  field.writeUInt16LE(5 + name.length, 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(crc32(plain), 5)
  return Buffer.concat([field, name])
}

function fromCp437(bytes: Buffer): Buffer {
  return Buffer.from(
    Array.from(bytes, (byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80]
    ).join('')
  )
}

function rejectName(bytes: Buffer): void {
  // Unzip takes the backslashes of some archives for slashes, and leaves out what cannot be shown.
  const name = bytes
    .toString('latin1')
    .replaceAll('\\', '/')
    .replace(/[^ -~\x80-\xfe]/g, '')
  const bad =
    name === '' ||
    bytes.includes(0) ||
    name.startsWith('/') ||
    /^[a-z]:/i.test(name) ||
    name.split('/').includes('..')
  if (bad) throw badArchive('This archive contains a path outside its folder.')
  if (bytes.length > MAX_NAME_BYTES)
    throw badArchive('This archive contains a name that is too long.')
  if (name.split('/').some((part) => part.startsWith(TEMPORARY_FILE_PREFIX)))
    throw reservedArchiveNameError()
}

/** Names of Berth's own are made by nobody else. */
export function reservedArchiveNameError() {
  return badArchive(
    `This archive contains names that begin with ${TEMPORARY_FILE_PREFIX}. Only Berth may use such names.`
  )
}

function damaged() {
  return badArchive('The end of this archive is damaged, or the archive has more than one end.')
}

function tooMany() {
  return badArchive(
    `This archive contains more than ${MAX_ARCHIVE_ENTRIES.toLocaleString('en')} entries.`
  )
}
