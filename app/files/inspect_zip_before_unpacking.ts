import { damagedArchive, notAZip } from '#files/errors'
import { TEMPORARY_FILE_PREFIX } from '#guest/public'
import iconv from 'iconv-lite'
import { isAscii, isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

/** Limits that reject zip bombs and archives with millions of entries. */
export const MAX_ARCHIVE_ENTRIES = 50_000
export const MAX_UNPACKED_BYTES = 4 * 1024 ** 3
/**
 * Maximum ratio of unpacked to packed size. Checked above `RATIO_CHECK_MIN_BYTES` unpacked bytes.
 */
const MAX_COMPRESSION_RATIO = 200
const RATIO_CHECK_MIN_BYTES = 200 * 1024 ** 2
const MAX_DIRECTORY_BYTES = 32 * 1024 ** 2
/**
 * Bytes read from the archive's end. They contain the end record with its longest comment, and
 * usually the whole central directory.
 */
const TAIL_BYTES = 1024 ** 2

const END_SIGNATURE = 0x06054b50
const END_RECORD_BYTES = 22
const ENTRY_SIGNATURE = 0x02014b50
const ENTRY_HEADER_BYTES = 46
const ZIP64_END_SIGNATURE = 0x06064b50
/** Length of version 1 of the record, whose size field contains `ZIP64_END_REST_BYTES`. */
const ZIP64_END_BYTES = 56
const ZIP64_END_REST_BYTES = 44
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
const ZIP64_LOCATOR_BYTES = 20
const ZIP64_FIELD = 0x0001
const UNICODE_NAME_FIELD = 0x7075
/** Bit 3 of an entry's flags: its sizes follow the content. */
const DESCRIPTOR_FLAG = 0x0008
/** Bit 11 of an entry's flags: the name is UTF-8. */
const UTF8_FLAG = 0x0800
/** Values of plain fields of 2 and 4 bytes that mean: the real value is in the ZIP64 field. */
const [SHORT_MARKER, LONG_MARKER] = [0xffff, 0xffffffff]
/**
 * Offsets, within a directory entry, of both sizes and of the local header's offset. ZIP64_FIELD
 * contains these values in the same order.
 */
const ZIP64_HEADER_OFFSETS = [24, 20, 42]
const DISK_OFFSET = 34
/** Maximum length of a name, because unzip truncates longer ones. */
const MAX_NAME_BYTES = 4_000
const MAX_FOLDER_DEPTH = 255
/**
 * Encodings that users can choose for names that are neither UTF-8 nor have a Unicode extra field.
 */
export const ARCHIVE_ENCODINGS = [
  'cp437',
  'cp850',
  'cp852',
  'cp866',
  'windows-1251',
  'windows-1252',
  'gbk',
  'big5',
  'shift_jis',
  'euc-kr',
] as const
export type ArchiveEncoding = (typeof ARCHIVE_ENCODINGS)[number]
/**
 * Encoding of names that are not UTF-8, unless the user chose another (APPNOTE.TXT, appendix D).
 */
const DEFAULT_ENCODING: ArchiveEncoding = 'cp437'
/** Maximum bytes of each part of a path on common file systems. */
const MAX_PATH_PART_BYTES = 255
/**
 * Maximum factor by which composing (NFC) makes a text shorter in UTF-8. Longer texts are rejected
 * before, because composing takes quadratic time in a long row of combining marks.
 */
const MAX_NORMALIZATION_FACTOR = 3
const MAX_LISTED_NAMES = 5
/**
 * Systems whose entries have a Unix mode in the upper 16 bits of the attributes: 3 is Unix, 19 is
 * OS X.
 */
const UNIX_SYSTEMS = [3, 19]

/** PATH_MAX without the final NUL. */
const MAX_LINK_TARGET_BYTES = 4_095
/** Metadata that desktop systems add to archives: a folder at the top, and files in any folder. */
const DESKTOP_FOLDER = '__MACOSX'
const DESKTOP_FILES = ['.DS_Store', 'Thumbs.db']
const [LINK, PLAIN_FILE, FOLDER] = [0o120000, 0o100644, 0o040755]

export interface ArchiveSummary {
  /** Number of entries to unpack, without desktop metadata. */
  entries: number
  /** Unpacked bytes according to the central directory. */
  unpacked: number
  largest: number
  /**
   * True: the modes in the archive let the owner read and change all files, and everyone read them.
   */
  usable: boolean
  /**
   * True: unzip needs a directory rewritten by `buildUnambiguousZipDirectory`. With the original
   * one, it would write wrong names, desktop metadata or unchecked links, or would read ZIP64
   * records.
   */
  unclear: boolean
  /** Desktop metadata entries, which are skipped. */
  junk: number
  links: number
  /**
   * Names whose encoding Berth guessed: their number, and the first of them as they will be
   * written.
   */
  guessed: { count: number; names: string[] }
}

type Slice = (start: number, length: number) => Promise<Buffer>

interface Directory {
  bytes: Buffer
  count: number
  /** Actual offset of the directory in the file. */
  start: number
  /**
   * Offset of the directory according to the end record. Smaller than `start` if other data
   * precedes the archive.
   */
  offset: number
  isZip64: boolean
}

/**
 * Inspects an archive. Rejects paths that lead outside, encryption, too many or too large entries,
 * and zip bombs. The archive's directory can state wrong sizes, so they are enforced again while
 * unpacking.
 */
export async function inspectZipBeforeUnpacking(
  size: number,
  slice: Slice,
  encoding?: ArchiveEncoding
): Promise<ArchiveSummary> {
  return inspect(await readDirectory(size, slice), size, encoding)
}

/**
 * Builds a central directory from which unzip writes every name as intended. Names in valid UTF-8
 * stay UTF-8; others are decoded from `encoding` (default: code page 437). Composes the names
 * (NFC), because web pages do not find the decomposed names of macOS. The caller writes `bytes`
 * into a copy of the archive, from `start` on. The directory lists the entries that
 * `inspectZipBeforeUnpacking` accepts, without desktop metadata and links with unusable names or
 * targets. At the paths in `links`, unzip writes regular files that contain the link targets,
 * instead of links.
 */
export async function buildUnambiguousZipDirectory(
  size: number,
  slice: Slice,
  encoding?: ArchiveEncoding
): Promise<{ start: number; bytes: Buffer; links: string[] }> {
  const directory = await readDirectory(size, slice)
  inspect(directory, size, encoding)
  const parts: Buffer[] = []
  const links: string[] = []
  let count = 0
  for (const entry of entriesOf(directory, encoding)) {
    const { header, name, meant } = entry
    if (isJunk(meant) || (isLink(entry) && !canBeLink(entry))) continue
    count++
    const clear = Buffer.from(header)
    const keepsFlag = isClearlyNamed(entry) || isFlaggedUtf8(entry) || isFinderUtf8(entry)
    const extra = keepsFlag ? Buffer.alloc(0) : unicodeField(name, meant)
    if (!keepsFlag) clear.writeUInt16LE(header.readUInt16LE(8) & ~UTF8_FLAG, 8)
    let path = name
    if (keepsFlag && !isClearlyNamed(entry)) {
      path = withSlashes(entry)
      if (!UNIX_SYSTEMS.includes(entry.system)) markAsUnix(clear, path)
    }
    clear.writeUInt16LE(path.length, 28)
    clear.writeUInt16LE(extra.length, 30)
    clear.writeUInt16LE(0, 32)
    if (isLink(entry)) {
      links.push(meant.toString())
      clear.writeUInt16LE(PLAIN_FILE, 40)
    }
    parts.push(clear, path, extra)
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

/** Reads the same directory as unzip: the one directly before the last end record. */
async function readDirectory(size: number, slice: Slice): Promise<Directory> {
  if (size < END_RECORD_BYTES) throw notAZip()
  const tailAt = Math.max(0, size - TAIL_BYTES)
  const tail = await slice(tailAt, size - tailAt)
  const { at, count, length, offset, isZip64, recordOffset } = endOf(tail)
  if (count > MAX_ARCHIVE_ENTRIES) throw tooMany()
  if (length > MAX_DIRECTORY_BYTES) throw damagedArchive('This archive lists too many files.')
  const start = tailAt + at - length
  if (start < offset) throw notAZip()
  // Data before the archive shifts the directory and the ZIP64 record by the same number of bytes.
  if (recordOffset !== undefined && recordOffset - offset !== length) throw damagedArchiveError()
  const bytes = start < tailAt ? await slice(start, length) : tail.subarray(start - tailAt, at)
  return { bytes, count, start, offset, isZip64 }
}

function endOf(tail: Buffer) {
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue
    // Checks that the last end record reaches to the end of the file. unzip uses it even if an earlier
    // one fits better.
    if (at + END_RECORD_BYTES + tail.readUInt16LE(at + 20) !== tail.length)
      throw damagedArchiveError()
    const count = tail.readUInt16LE(at + 10)
    const length = tail.readUInt32LE(at + 12)
    const offset = tail.readUInt32LE(at + 16)
    const locatorAt = at - ZIP64_LOCATOR_BYTES
    if (locatorAt >= 0 && tail.readUInt32LE(locatorAt) === ZIP64_LOCATOR_SIGNATURE) {
      return zip64EndOf(tail, at)
    }
    const [disk, firstDisk] = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)]
    if ((disk !== 0 && disk !== SHORT_MARKER) || (firstDisk !== 0 && firstDisk !== SHORT_MARKER))
      throw splitArchiveError()
    if (count === SHORT_MARKER || offset === LONG_MARKER || length === LONG_MARKER) throw tooMany()
    return { at, count, length, offset, isZip64: false, recordOffset: undefined }
  }
  throw notAZip()
}

/**
 * Reads the ZIP64 end record and its locator, which are directly before the plain end record at
 * `endAt`. Every plain value must be the same as in the ZIP64 record, or a marker that refers to
 * it. Parsers with and without ZIP64 then find the same directory.
 */
function zip64EndOf(tail: Buffer, endAt: number) {
  const locatorAt = endAt - ZIP64_LOCATOR_BYTES
  const at = locatorAt - ZIP64_END_BYTES
  if (at < 0 || tail.readUInt32LE(at) !== ZIP64_END_SIGNATURE) throw damagedArchiveError()
  const count = readUInt64LE(tail, at + 32)
  const length = readUInt64LE(tail, at + 40)
  const offset = readUInt64LE(tail, at + 48)
  const agrees = (plain: number, marker: number, value: number) =>
    plain === marker || plain === value
  const isConsistent =
    readUInt64LE(tail, at + 4) === ZIP64_END_REST_BYTES &&
    // Requires a single file, not one of several disks. Some writers count zero disks.
    tail.readUInt32LE(locatorAt + 4) === 0 &&
    tail.readUInt32LE(locatorAt + 16) <= 1 &&
    tail.readUInt32LE(at + 16) === 0 &&
    tail.readUInt32LE(at + 20) === 0 &&
    agrees(tail.readUInt16LE(endAt + 4), SHORT_MARKER, 0) &&
    agrees(tail.readUInt16LE(endAt + 6), SHORT_MARKER, 0) &&
    readUInt64LE(tail, at + 24) === count &&
    agrees(tail.readUInt16LE(endAt + 8), SHORT_MARKER, count) &&
    agrees(tail.readUInt16LE(endAt + 10), SHORT_MARKER, count) &&
    agrees(tail.readUInt32LE(endAt + 12), LONG_MARKER, length) &&
    agrees(tail.readUInt32LE(endAt + 16), LONG_MARKER, offset)
  if (!isConsistent) throw damagedArchiveError()
  const recordOffset = readUInt64LE(tail, locatorAt + 8)
  return { at, count, length, offset, isZip64: true, recordOffset }
}

/** @throws AppError if the value is 4 GB or more, which no accepted archive contains */
function readUInt64LE(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at))
  if (value >= LONG_MARKER) throw damagedArchive('This archive contains more than 4 GB.')
  return value
}

interface ArchiveEntry {
  /** Header whose plain fields contain the values of the ZIP64 field. */
  header: Buffer
  name: Buffer
  /** Name with which the file is to be written, in UTF-8. */
  meant: Buffer
  /** Number of the system that created the entry. */
  system: number
  isZip64: boolean
  /** True: the name is not UTF-8, so the chosen or the default encoding was used. */
  isGuessed: boolean
}

function* entriesOf(
  { bytes }: Directory,
  encoding: ArchiveEncoding = DEFAULT_ENCODING
): Generator<ArchiveEntry> {
  let at = 0
  while (at + ENTRY_HEADER_BYTES <= bytes.length && bytes.readUInt32LE(at) === ENTRY_SIGNATURE) {
    const stored = bytes.subarray(at, (at += ENTRY_HEADER_BYTES))
    const name = bytes.subarray(at, (at += stored.readUInt16LE(28)))
    const extra = bytes.subarray(at, (at += stored.readUInt16LE(30)))
    at += stored.readUInt16LE(32)
    if (at > bytes.length) throw damagedArchiveError()
    const header = withoutZip64(stored, extra)
    const isFlagged = (header.readUInt16LE(8) & UTF8_FLAG) !== 0
    rejectLongName(name)
    const decodedName = isFlagged ? name : (unicodeName(name, extra) ?? name)
    if (decodedName !== name) rejectLongName(decodedName)
    const isGuessed = !isUtf8(decodedName)
    const text = isGuessed ? iconv.decode(decodedName, encoding) : decodedName.toString()
    if (isGuessed && text.includes('\ufffd')) throw wrongEncoding(encoding)
    rejectLongParts(text, MAX_NORMALIZATION_FACTOR * MAX_PATH_PART_BYTES)
    const meant = isAscii(decodedName) ? decodedName : Buffer.from(text.normalize('NFC'))
    const isZip64 = header !== stored
    yield { header, name, meant, system: header.readUInt16LE(4) >> 8, isZip64, isGuessed }
  }
}

/**
 * Returns the header, or a copy whose plain fields contain the values of the ZIP64 extra field.
 * That field has a value only where the plain field contains a marker. If values are repeated, they
 * must be equal, because two parsers could otherwise read different values.
 */
function withoutZip64(header: Buffer, extra: Buffer): Buffer {
  const [field, ...more] = fieldsOf(extra, ZIP64_FIELD)
  const isMarked = ZIP64_HEADER_OFFSETS.map((at) => header.readUInt32LE(at) === LONG_MARKER)
  if (field === undefined) {
    if (isMarked.includes(true)) throw damagedEntry()
    return header
  }
  const isDiskMarked = header.readUInt16LE(DISK_OFFSET) === SHORT_MARKER
  const count = isMarked.filter(Boolean).length
  const needed = count * 8 + (isDiskMarked ? 4 : 0)
  if (more.length > 0 || field.length < needed) throw damagedEntry()
  const clear = Buffer.from(header)
  ZIP64_HEADER_OFFSETS.filter((_, index) => isMarked[index]).forEach((at, index) => {
    clear.writeUInt32LE(readUInt64LE(field, index * 8), at)
  })
  if (isDiskMarked) clear.writeUInt16LE(field.readUInt32LE(count * 8) & SHORT_MARKER, DISK_OFFSET)
  if (clear.readUInt16LE(DISK_OFFSET) !== 0) throw damagedEntry()
  if (field.length > needed) {
    const all = Buffer.alloc(28)
    ZIP64_HEADER_OFFSETS.forEach((at, index) => {
      all.writeUInt32LE(clear.readUInt32LE(at), index * 8)
    })
    if (![8, 16, 24, 28].includes(field.length) || !all.subarray(0, field.length).equals(field))
      throw damagedEntry()
  }
  return clear
}

function fieldsOf(extra: Buffer, kind: number): Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) !== kind) continue
    if (at + 4 + length > extra.length) throw damagedEntry()
    fields.push(extra.subarray(at + 4, at + 4 + length))
  }
  return fields
}

function inspect(directory: Directory, size: number, encoding?: ArchiveEncoding): ArchiveSummary {
  let entries = 0
  let unpacked = 0
  let packed = 0
  let largest = 0
  let usable = true
  let unclear = false
  let junk = 0
  const links = new Set<string>()
  const names: string[] = []
  const guessed: string[] = []
  for (const entry of entriesOf(directory, encoding)) {
    const { header, name, meant, system } = entry
    if (++entries > MAX_ARCHIVE_ENTRIES) throw tooMany()
    if (header.readUInt16LE(8) & 1) throw encryptedArchiveError()
    const method = header.readUInt16LE(10)
    if (method !== 0 && method !== 8) {
      throw unsupportedMethod(method)
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
    if (entry.isGuessed && !encoding) guessed.push(meant.toString())
    usable &&= isUnix && isUsable(attributes >>> 16)
    rejectName(name)
    rejectName(meant)
    rejectLongParts(meant.toString())
    // For systems other than Unix, unzip decodes names in another code page, whatever their flags say.
    unclear ||= !meant.equals(name) || !(isUnix || isAscii(name)) || entry.isZip64
  }
  if (entries !== directory.count) throw damagedEntry()
  if (unpacked > MAX_UNPACKED_BYTES) {
    throw damagedArchive('This archive contains more than 4 GB.')
  }
  // Berth creates links last, so that no file is unpacked through a link. An archive with an entry below
  // a link's path is rejected, because that entry needs a folder at the path.
  const sortedNames = links.size > 0 ? names.sort() : []
  if ([...links].some((link) => hasEntryBelow(sortedNames, link))) {
    throw damagedArchive('This archive contains a file inside a symbolic link.')
  }
  // Rejects attacks: entries that share bytes, or that compress far better than real files.
  if (
    packed > size ||
    (unpacked > RATIO_CHECK_MIN_BYTES && unpacked > size * MAX_COMPRESSION_RATIO)
  ) {
    throw damagedArchive('The unpacked content of this archive is too large.')
  }
  if (junk > 0 && entries === junk)
    throw damagedArchive('This archive contains only desktop system files.')
  unclear ||= junk > 0 || links.size > 0 || directory.isZip64
  return {
    unpacked,
    largest,
    usable,
    unclear,
    junk,
    links: links.size,
    guessed: { count: guessed.length, names: guessed.slice(0, MAX_LISTED_NAMES) },
    entries: entries - junk,
  }
}

function isClearlyNamed({ header, name, meant, system }: ArchiveEntry): boolean {
  const isFlagged = (header.readUInt16LE(8) & UTF8_FLAG) !== 0
  return meant.equals(name) && (isAscii(name) || (isFlagged && UNIX_SYSTEMS.includes(system)))
}

/**
 * Returns whether an entry must keep its UTF-8 flag. If the sizes follow the content, unzip
 * compares the flags with those in the local header. If they differ, it rejects the archive as a
 * zip bomb.
 */
function isFlaggedUtf8({ header, name }: ArchiveEntry): boolean {
  return (header.readUInt16LE(8) & UTF8_FLAG) !== 0 && isUtf8(name)
}

/**
 * Returns whether the entry looks like those of macOS Finder: created on Unix, a name in UTF-8, and
 * sizes that follow the content. Finder sets no UTF-8 flag, and unzip writes such a name unchanged. If
 * a Unicode extra field were added, unzip would reject the archive as a zip bomb.
 */
function isFinderUtf8({ header, name, system }: ArchiveEntry): boolean {
  const isFollowedBySizes = (header.readUInt16LE(8) & DESCRIPTOR_FLAG) !== 0
  return isFollowedBySizes && UNIX_SYSTEMS.includes(system) && isUtf8(name)
}

/**
 * Marks the entry as created on Unix, with a mode. unzip obeys the UTF-8 flag only in such entries.
 */
function markAsUnix(header: Buffer, path: Buffer): void {
  const isFolder = path.at(-1) === '/'.charCodeAt(0)
  header.writeUInt8(UNIX_SYSTEMS[0], 5)
  header.writeUInt16LE(isFolder ? FOLDER : PLAIN_FILE, 40)
}

/** Replaces backslashes by slashes, as unzip does in MS-DOS entries whose name has no slash. */
function withSlashes({ meant, system }: ArchiveEntry): Buffer {
  if (system !== 0 || meant.includes('/')) return meant
  return Buffer.from(meant.toString().replaceAll('\\', '/'))
}

function isJunk(meant: Buffer): boolean {
  const steps = meant.toString().split('/')
  return steps[0] === DESKTOP_FOLDER || DESKTOP_FILES.includes(steps.at(-1)!)
}

/**
 * Returns whether unzip would create a link from the entry. It also does for some systems other
 * than Unix.
 */
function isLink({ header }: ArchiveEntry): boolean {
  return (header.readUInt16LE(40) & 0o170000) === LINK
}

/**
 * Returns whether unzip writes the file at exactly this path, and its content is short enough for a
 * link target.
 */
function canBeLink({ header, meant }: ArchiveEntry): boolean {
  const name = meant.toString()
  return (
    header.readUInt32LE(24) <= MAX_LINK_TARGET_BYTES &&
    name === plainOf(meant) &&
    !/[\x00-\x1f\x7f\\]/.test(name) &&
    isUtf8(meant)
  )
}

/** Removes empty and `.` segments from the path. */
function plainOf(meant: Buffer): string {
  const steps = meant.toString().split('/')
  return steps.filter((step) => step !== '' && step !== '.').join('/')
}

/** Returns whether an entry is inside `folder`. `sortedNames` are in the order of `sort()`. */
function hasEntryBelow(sortedNames: string[], folder: string): boolean {
  const prefix = `${folder}/`
  let [low, high] = [0, sortedNames.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sortedNames[middle] < prefix) low = middle + 1
    else high = middle
  }
  return low < sortedNames.length && sortedNames[low].startsWith(prefix)
}

/** Rejects devices and other special files. The caller handles links before. */
function rejectSpecialEntry(system: number, attributes: number): void {
  const kind = (attributes >>> 16) & 0o170000
  if (!UNIX_SYSTEMS.includes(system)) return
  // Info-ZIP marks content that it read from a pipe as a pipe. unzip writes such an entry as a file.
  if (![0, 0o100000, 0o040000, 0o010000].includes(kind)) {
    throw damagedArchive('This archive contains entries that are neither files nor folders.')
  }
}

function isUsable(mode: number): boolean {
  const needed = (mode & 0o170000) === 0o040000 ? 0o755 : 0o644
  return (mode & needed) === needed
}

/**
 * Reads Info-ZIP's extra field for Unicode names (0x7075). Like unzip, uses the last field whose checksum
 * matches.
 */
function unicodeName(plain: Buffer, extra: Buffer): Buffer | null {
  const checksum = crc32(plain)
  // The field contains a version byte, a checksum of the plain name, and then the name.
  const isValid = (field: Buffer) => field.length > 5 && field.readUInt32LE(1) === checksum
  return fieldsOf(extra, UNICODE_NAME_FIELD).findLast(isValid)?.subarray(5) ?? null
}

function unicodeField(plain: Buffer, name: Buffer): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(UNICODE_NAME_FIELD, 0)
  field.writeUInt16LE(5 + name.length, 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(crc32(plain), 5)
  return Buffer.concat([field, name])
}

function rejectName(bytes: Buffer): void {
  if (bytes.includes(0)) throw pathOutsideArchive()
  // Changes the name as unzip does: it treats backslashes in some archives as slashes, and removes
  // unprintable characters.
  const name = bytes
    .toString('latin1')
    .replaceAll('\\', '/')
    .replace(/[^ -~\x80-\xfe]/g, '')
  const bad =
    name === '' || name.startsWith('/') || /^[a-z]:/i.test(name) || name.split('/').includes('..')
  if (bad && /^(?:\/|[a-z]:)/i.test(name)) throw absolutePath(bytes)
  if (bad) throw pathOutsideArchive()
  rejectLongName(bytes)
  if (name.split('/').some((part) => part.startsWith(TEMPORARY_FILE_PREFIX)))
    throw reservedArchiveNameError()
}

function rejectLongName(bytes: Buffer): void {
  if (bytes.length > MAX_NAME_BYTES)
    throw damagedArchive('This archive contains a name that is too long.')
  const steps = bytes.toString('latin1').split('/', MAX_FOLDER_DEPTH + 2)
  if (steps.length > MAX_FOLDER_DEPTH + 1)
    throw damagedArchive(`This archive contains a path with more than ${MAX_FOLDER_DEPTH} folders.`)
}

export function reservedArchiveNameError() {
  return damagedArchive(
    `This archive contains names that begin with ${TEMPORARY_FILE_PREFIX}. Only Berth may use such names.`
  )
}

function rejectLongParts(path: string, limit = MAX_PATH_PART_BYTES): void {
  const long = path.split('/').find((part) => Buffer.byteLength(part) > limit)
  if (long === undefined) return
  throw damagedArchive(
    `The name “${long.slice(0, 100)}…” in this archive is longer than ${MAX_PATH_PART_BYTES} bytes. Bangla letters take 3 bytes each. Shorten the name and pack the archive again.`
  )
}

function wrongEncoding(encoding: ArchiveEncoding) {
  return damagedArchive(
    `The names in this archive are not in the encoding ${encoding}. Choose another file name encoding.`
  )
}

function encryptedArchiveError() {
  return damagedArchive(
    'This archive is encrypted. Unpack it on your computer and pack the files without a password.'
  )
}

/**
 * Names of compression methods that Berth cannot unpack (APPNOTE.TXT, 4.4.5). 99 (AES) is missing
 * because it gets an error about encryption.
 */
const METHOD_NAMES: Record<number, string> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'xz',
  98: 'PPMd',
}

function unsupportedMethod(method: number) {
  if (method === 99) return encryptedArchiveError()
  const name = METHOD_NAMES[method] ?? `method ${method}`
  return damagedArchive(
    `This archive is compressed with ${name}. Pack the files again with the compression method Deflate.`
  )
}

function pathOutsideArchive() {
  return damagedArchive('This archive contains a path outside its folder.')
}

function absolutePath(name: Buffer) {
  const path = name
    .toString()
    .replaceAll(/\p{Cc}/gu, '\ufffd')
    .slice(0, 100)
    .toWellFormed()
  return damagedArchive(
    `This archive contains an absolute path: “${path}”. Pack the files again with paths relative to their folder.`
  )
}

function splitArchiveError() {
  return damagedArchive(
    'This archive is one of several parts. Join the parts on your computer, for example with “zip -s 0”, and upload one file.'
  )
}

function damagedArchiveError() {
  return damagedArchive('The end of this archive is damaged, or the archive has more than one end.')
}

function damagedEntry() {
  return damagedArchive('The file list of this archive is damaged.')
}

function tooMany() {
  return damagedArchive(
    `This archive contains more than ${MAX_ARCHIVE_ENTRIES.toLocaleString('en')} entries.`
  )
}
