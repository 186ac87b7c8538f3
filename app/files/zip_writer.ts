import { crc32, createDeflateRaw, deflateRaw, deflateRawSync } from 'node:zlib'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const LOCAL_HEADER_SIGNATURE = 0x04034b50
const DESCRIPTOR_SIGNATURE = 0x08074b50
const ENTRY_SIGNATURE = 0x02014b50
const ZIP64_END_SIGNATURE = 0x06064b50
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50
const END_SIGNATURE = 0x06054b50

/** Bit 11 of an entry's flags: the name is UTF-8. */
const UTF8_FLAG = 0x0800
/** Bit 3 of an entry's flags: sizes and checksum follow the content. */
const DESCRIPTOR_FLAG = 0x0008
const CREATED_ON_UNIX = 3 << 8
const [PLAIN, ZIP64] = [20, 45]
/** Values of plain fields whose numbers are in the ZIP64 field. */
const [MOVED, MOVED_COUNT] = [0xffffffff, 0xffff]
/**
 * Entries from this size on use ZIP64. It is below 4 GB, because compression can make an entry
 * slightly larger.
 */
const ZIP64_MIN_BYTES = 0xff000000
const MAX_IN_MEMORY_BYTES = 256 * 1024
/** Files above `MAX_IN_MEMORY_BYTES` are compressed only if their first bytes shrink below `MAX_COMPRESSED_RATIO`. */
const SAMPLE_BYTES = 16 * 1024
const MAX_COMPRESSED_RATIO = 0.95
/** Low level, because Berth's CPU time matters more than a few percent of size. */
const COMPRESSION_LEVEL = 4

const pack = promisify<Buffer, { level: number }, Buffer>(deflateRaw)

/**
 * An entry of a ZIP: a file, a folder (its path ends with a slash) or a link (its content is the
 * target).
 */
export interface ZipPart {
  /** Relative path with slashes, written unchanged. The caller must ensure that it is safe to unpack. */
  path: string
  /** Unix mode with the file type, as from `stat`. */
  mode: number
  modified: Date
  /** Exact length of `content` in bytes. */
  size: number
  content: AsyncIterable<Buffer>
}

export interface ZipLimits {
  entries: number
  /** Maximum bytes of the central directory, which stays in memory until the end. */
  directory: number
}

/**
 * Streams a ZIP file, one part after another (PKWARE's APPNOTE.TXT). Uses ZIP64 only for large
 * entries, offsets and counts. Throws if a part's content does not match its size, or if a limit is exceeded. The
 * output then has no central directory, so that nobody takes it for complete. ZIP libraries keep
 * more than 4 KB per entry until the end, or search all entries for each one (docs/decisions/0008).
 */
export async function* writeZip(
  parts: AsyncIterable<ZipPart>,
  caps: ZipLimits
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = []
  let [offset, length] = [0, 0]
  for await (const part of parts) {
    const start = offset
    const sizes: PartSizes = yield* withCount(writePart(part), (bytes) => (offset += bytes))
    const record = recordOf(part, sizes, start)
    length += record.length
    directory.push(record)
    if (directory.length > caps.entries || length > caps.directory) {
      throw new Error('The files exceed the limits of a zip file')
    }
  }
  yield* directory
  yield endOf(directory.length, length, offset)
}

async function* withCount<Result>(
  chunks: AsyncGenerator<Buffer, Result>,
  count: (bytes: number) => void
): AsyncGenerator<Buffer, Result> {
  try {
    for (;;) {
      const { value, done } = await chunks.next()
      if (done) return value
      count(value.length)
      yield value
    }
  } finally {
    // Closes the unfinished part if the consumer stops early, so that the part's source is released.
    await chunks.return(undefined as Result)
  }
}

interface PartSizes {
  method: 0 | 8
  checksum: number
  packed: number
  isLong: boolean
  flags: number
}

async function* writePart(part: ZipPart): AsyncGenerator<Buffer, PartSizes> {
  if (part.size <= MAX_IN_MEMORY_BYTES) return yield* writeSmall(part)
  return yield* writeLarge(part)
}

async function* writeSmall(part: ZipPart): AsyncGenerator<Buffer, PartSizes> {
  const chunks: Buffer[] = []
  for await (const chunk of assertSize(part)) chunks.push(chunk)
  const content = Buffer.concat(chunks)
  const tried = content.length > 0 ? await pack(content, { level: COMPRESSION_LEVEL }) : content
  const isSmaller = tried.length < content.length
  const stored = isSmaller ? tried : content
  const sizes: PartSizes = {
    method: isSmaller ? 8 : 0,
    checksum: crc32(content),
    packed: stored.length,
    isLong: false,
    flags: UTF8_FLAG,
  }
  yield localHeader(part, sizes)
  yield stored
  return sizes
}

async function* writeLarge(part: ZipPart): AsyncGenerator<Buffer, PartSizes> {
  const isLong = part.size >= ZIP64_MIN_BYTES
  const content = assertSize(part)
  try {
    const { value: first, done } = await content.next()
    if (done) throw new Error('A file has no content')
    const sample = first.subarray(0, SAMPLE_BYTES)
    const method =
      deflateRawSync(sample, { level: 1 }).length < sample.length * MAX_COMPRESSED_RATIO ? 8 : 0
    const sizes: PartSizes = {
      method,
      isLong,
      checksum: 0,
      packed: 0,
      flags: UTF8_FLAG | DESCRIPTOR_FLAG,
    }
    const summed = async function* () {
      for (let chunk: Buffer | undefined = first; chunk;) {
        sizes.checksum = crc32(chunk, sizes.checksum)
        yield chunk
        const next: IteratorResult<Buffer> = await content.next()
        chunk = next.done ? undefined : next.value
      }
    }
    yield localHeader(part, sizes)
    for await (const chunk of method === 8 ? deflated(summed()) : summed()) {
      sizes.packed += chunk.length
      yield chunk
    }
    yield descriptorOf(part, sizes)
    return sizes
  } finally {
    await content.return(undefined)
  }
}

async function* deflated(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const packer = createDeflateRaw({ level: COMPRESSION_LEVEL, chunkSize: 64 * 1024 })
  const fed = pipeline(content, packer)
  // Handles the rejection here, because no code awaits this promise if the consumer has stopped.
  // `packer` emits the same error.
  fed.catch(() => {})
  for await (const chunk of packer as AsyncIterable<Buffer>) yield chunk
  await fed
}

async function* assertSize({ size, content }: ZipPart): AsyncGenerator<Buffer> {
  let missing = size
  for await (const chunk of content) {
    missing -= chunk.length
    if (missing < 0) break
    yield chunk
  }
  if (missing !== 0) throw new Error('A file differs from its announced size')
}

function localHeader(
  part: ZipPart,
  { method, checksum, packed, isLong, flags }: PartSizes
): Buffer {
  const name = Buffer.from(part.path)
  const isLater = (flags & DESCRIPTOR_FLAG) !== 0
  const extra = isLong ? field(0x0001, [0, 0]) : Buffer.alloc(0)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(LOCAL_HEADER_SIGNATURE, 0)
  header.writeUInt16LE(isLong ? ZIP64 : PLAIN, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(dosTime(part.modified), 10)
  header.writeUInt32LE(isLater ? 0 : checksum, 14)
  header.writeUInt32LE(isLong ? MOVED : isLater ? 0 : packed, 18)
  header.writeUInt32LE(isLong ? MOVED : isLater ? 0 : part.size, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

function descriptorOf({ size }: ZipPart, { checksum, packed, isLong }: PartSizes): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(DESCRIPTOR_SIGNATURE, 0)
  head.writeUInt32LE(checksum, 4)
  const sizes = Buffer.alloc(isLong ? 16 : 8)
  if (isLong) {
    sizes.writeBigUInt64LE(BigInt(packed), 0)
    sizes.writeBigUInt64LE(BigInt(size), 8)
  } else {
    sizes.writeUInt32LE(packed, 0)
    sizes.writeUInt32LE(size, 4)
  }
  return Buffer.concat([head, sizes])
}

/** Builds the central directory record of a part at byte `start`. */
function recordOf(part: ZipPart, sizes: PartSizes, start: number): Buffer {
  const name = Buffer.from(part.path)
  const isFar = start >= MOVED
  const long = [...(sizes.isLong ? [part.size, sizes.packed] : []), ...(isFar ? [start] : [])]
  const extra = Buffer.concat([
    ...(long.length > 0 ? [field(0x0001, long)] : []),
    timeField(part.modified),
  ])
  const record = Buffer.alloc(46)
  record.writeUInt32LE(ENTRY_SIGNATURE, 0)
  record.writeUInt16LE(CREATED_ON_UNIX | ZIP64, 4)
  record.writeUInt16LE(long.length > 0 ? ZIP64 : PLAIN, 6)
  record.writeUInt16LE(sizes.flags, 8)
  record.writeUInt16LE(sizes.method, 10)
  record.writeUInt32LE(dosTime(part.modified), 12)
  record.writeUInt32LE(sizes.checksum, 16)
  record.writeUInt32LE(sizes.isLong ? MOVED : sizes.packed, 20)
  record.writeUInt32LE(sizes.isLong ? MOVED : part.size, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(extra.length, 30)
  const isFolder = part.path.endsWith('/')
  record.writeUInt32LE(((part.mode << 16) | (isFolder ? 0x10 : 0)) >>> 0, 38)
  record.writeUInt32LE(isFar ? MOVED : start, 42)
  return Buffer.concat([record, name, extra])
}

function endOf(count: number, length: number, offset: number): Buffer {
  const isLong = count >= MOVED_COUNT || length >= MOVED || offset >= MOVED
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END_SIGNATURE, 0)
  end.writeUInt16LE(isLong ? MOVED_COUNT : count, 8)
  end.writeUInt16LE(isLong ? MOVED_COUNT : count, 10)
  end.writeUInt32LE(isLong ? MOVED : length, 12)
  end.writeUInt32LE(isLong ? MOVED : offset, 16)
  if (!isLong) return end
  const long = Buffer.alloc(56)
  long.writeUInt32LE(ZIP64_END_SIGNATURE, 0)
  long.writeBigUInt64LE(44n, 4)
  long.writeUInt16LE(CREATED_ON_UNIX | ZIP64, 12)
  long.writeUInt16LE(ZIP64, 14)
  long.writeBigUInt64LE(BigInt(count), 24)
  long.writeBigUInt64LE(BigInt(count), 32)
  long.writeBigUInt64LE(BigInt(length), 40)
  long.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(ZIP64_LOCATOR_SIGNATURE, 0)
  locator.writeBigUInt64LE(BigInt(offset + length), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([long, locator, end])
}

function field(id: number, numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 + 8 * numbers.length)
  bytes.writeUInt16LE(id, 0)
  bytes.writeUInt16LE(8 * numbers.length, 2)
  numbers.forEach((one, index) => bytes.writeBigUInt64LE(BigInt(one), 4 + 8 * index))
  return bytes
}

/**
 * Returns Info-ZIP's extra field 0x5455, which has the time in seconds since 1970. The DOS time has
 * no time zone.
 */
function timeField(modified: Date): Buffer {
  const bytes = Buffer.alloc(9)
  bytes.writeUInt16LE(0x5455, 0)
  bytes.writeUInt16LE(5, 2)
  bytes.writeUInt8(1, 4)
  const seconds = Math.floor(modified.getTime() / 1000)
  bytes.writeInt32LE(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, seconds)), 5)
  return bytes
}

/**
 * Returns the date in the upper 16 bits and the time in the lower 16 bits. The resolution is 2
 * seconds, and the first year is 1980.
 */
function dosTime(modified: Date): number {
  const year = modified.getUTCFullYear()
  if (year < 1980) return 0x00210000
  const date =
    (Math.min(year - 1980, 127) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate()
  const [hours, minutes] = [modified.getUTCHours(), modified.getUTCMinutes()]
  const time = (hours << 11) | (minutes << 5) | (modified.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
