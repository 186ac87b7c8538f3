import { badArchive, notAZip } from '#files/errors'
import { OWN_PREFIX } from '#guest/machine/public'

/** Caps of what is unpacked (attacks, "Zip slip, symlink entries, bombs, a million entries"). */
export const MAX_ENTRIES = 50_000
export const MAX_UNPACKED = 4 * 1024 ** 3
/** An archive may grow this much once it is larger than `FREE_GROWTH` bytes unpacked. */
const MAX_GROWTH = 200
const FREE_GROWTH = 200 * 1024 ** 2
const MAX_DIRECTORY = 32 * 1024 ** 2
/** Holds the end record with its longest comment, and the whole directory of most archives. */
const TAIL = 1024 ** 2

const END = 0x06054b50
const ENTRY = 0x02014b50
const UNICODE_NAME = 0x7075
const NEEDS_ZIP64 = 0xffff
/** The systems whose attributes hold a Unix mode in their upper 16 bits. */
const UNIX = [3, 19]

export interface ArchiveFacts {
  entries: number
  /** Bytes, as the archive's directory says. */
  unpacked: number
  largest: number
  /** The owner may read and change all of it, by the modes that come with it. */
  usable: boolean
}

/**
 * Reads the directory of a zip file and refuses what is not unpacked: names that lead out, links,
 * encryption, too many or too large entries, bombs. `slice` reads bytes of the archive. What it
 * promises is held while unpacking, because a directory can lie.
 */
export async function inspectArchive(
  size: number,
  slice: (start: number, length: number) => Promise<Buffer>
): Promise<ArchiveFacts> {
  if (size < 22) throw notAZip()
  const start = Math.max(0, size - TAIL)
  const tail = await slice(start, size - start)
  const { count, length, offset } = endOf(tail)
  if (count > MAX_ENTRIES) throw tooMany()
  if (length > MAX_DIRECTORY) throw badArchive('The directory of this archive is too large.')
  if (offset + length > size) throw notAZip()
  const directory =
    offset < start
      ? await slice(offset, length)
      : tail.subarray(offset - start, offset - start + length)
  return walk(directory, count, size)
}

function endOf(tail: Buffer) {
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue
    if (at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue
    const count = tail.readUInt16LE(at + 10)
    const length = tail.readUInt32LE(at + 12)
    const offset = tail.readUInt32LE(at + 16)
    if (count === NEEDS_ZIP64 || offset === 0xffffffff || length === 0xffffffff) throw tooMany()
    return { count, length, offset }
  }
  throw notAZip()
}

function walk(directory: Buffer, count: number, size: number): ArchiveFacts {
  let at = 0
  let entries = 0
  let unpacked = 0
  let packed = 0
  let largest = 0
  let usable = true
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === ENTRY) {
    if (++entries > MAX_ENTRIES) throw tooMany()
    if (directory.readUInt16LE(at + 8) & 1) throw badArchive('This archive is encrypted.')
    const method = directory.readUInt16LE(at + 10)
    if (method !== 0 && method !== 8) {
      throw badArchive('This archive uses a way of packing that is not supported.')
    }
    const here = directory.readUInt32LE(at + 24)
    packed += directory.readUInt32LE(at + 20)
    unpacked += here
    largest = Math.max(largest, here)
    const nameLength = directory.readUInt16LE(at + 28)
    const more = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    const system = directory.readUInt16LE(at + 4) >> 8
    const attributes = directory.readUInt32LE(at + 38)
    refuseKind(system, attributes)
    usable &&= UNIX.includes(system) && isUsable(attributes >>> 16)
    const name = directory.subarray(at + 46, at + 46 + nameLength)
    const extra = directory.subarray(at + 46 + nameLength)
    refuseName(name)
    refuseName(unicodeName(extra.subarray(0, directory.readUInt16LE(at + 30))) ?? name)
    at += 46 + nameLength + more
  }
  if (entries !== count) throw badArchive('The directory of this archive is damaged.')
  if (unpacked > MAX_UNPACKED) {
    throw badArchive('This archive holds more than 4 GB.')
  }
  // Entries that share their bytes, or shrink beyond what files do, are made to do harm.
  if (packed > size || (unpacked > FREE_GROWTH && unpacked > size * MAX_GROWTH)) {
    throw badArchive('This archive would grow out of all proportion.')
  }
  return { entries, unpacked, largest, usable }
}

/** Only files and folders. */
function refuseKind(system: number, attributes: number): void {
  const kind = (attributes >>> 16) & 0o170000
  if (kind === 0o120000) throw badArchive('This archive holds symbolic links.')
  if (!UNIX.includes(system)) return
  if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000) {
    throw badArchive('The archive holds something other than files and folders.')
  }
}

function isUsable(mode: number): boolean {
  const needed = (mode & 0o170000) === 0o040000 ? 0o700 : 0o600
  return (mode & needed) === needed
}

/** What Info-ZIP's extra field (0x7075) has unzip take for the name instead. */
function unicodeName(extra: Buffer): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const length = extra.readUInt16LE(at + 2)
    // Version and checksum of the plain name come before it.
    if (extra.readUInt16LE(at) === UNICODE_NAME && length > 5) {
      return extra.subarray(at + 9, at + 4 + length)
    }
  }
  return null
}

function refuseName(bytes: Buffer): void {
  // Unzip takes the backslashes of some archives for slashes.
  const name = bytes.toString('latin1').replaceAll('\\', '/')
  const bad =
    name === '' ||
    name.includes('\0') ||
    name.startsWith('/') ||
    /^[a-z]:/i.test(name) ||
    name.split('/').includes('..')
  if (bad) throw badArchive('This archive holds a name that leads out of its folder.')
  if (name.split('/').some((part) => part.startsWith(OWN_PREFIX))) {
    throw badArchive(
      `This archive holds names that begin with ${OWN_PREFIX}, which are kept for Berth itself.`
    )
  }
}

function tooMany() {
  return badArchive(`This archive holds more than ${MAX_ENTRIES.toLocaleString('en')} entries.`)
}
