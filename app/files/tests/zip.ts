import { crc32, deflateRawSync } from 'node:zlib'

/**
 * An entry of a test archive. Its metadata is correct unless one of these options says otherwise.
 */
export interface ZipEntry {
  /**
   * A string is written as UTF-8 with the UTF-8 flag. A buffer, or a name with a `unicodeName`, is
   * written without that flag.
   */
  name: string | Buffer
  content?: string | Buffer
  /** Unix mode with the file type, for example 0o120777 for a symbolic link. */
  mode?: number
  /** Uncompressed size that the archive states instead of the real one. */
  claims?: number
  encrypted?: boolean
  /** Name in Info-ZIP's Unicode Path extra field (0x7075). */
  unicodeName?: string
  /** True: the checksum in the Unicode Path field belongs to another name. */
  isStale?: boolean
  /**
   * The system that created the entry: 3 is Unix (default), 0 is MS-DOS and Windows, 10 is NTFS.
   */
  system?: number
  /** Sets or clears the UTF-8 flag. Default: see `name`. */
  isFlagged?: boolean
  isStored?: boolean
  /** Number that the archive states as compression method. Default: stored or deflated. */
  method?: number
  /**
   * The local header has no checksum and sizes. They follow the content. `plain`: sizes of 4 bytes,
   * `zip64`: of 8.
   */
  descriptor?: 'plain' | 'zip64'
  /** True: the local header has its sizes in a ZIP64 field. */
  isLocalZip64?: boolean
  localExtra?: Buffer
  centralExtra?: Buffer
  /**
   * Writes a ZIP64 field in the central directory. `all`: the field contains sizes and offset, and
   * markers replace the plain values. `offset`: the same for the offset only. `repeated`: the plain
   * values stay. `wrong`: like `repeated`, with a different size in the field. `missing`: markers
   * without a field. `twice`: two equal fields.
   */
  zip64?: 'all' | 'repeated' | 'offset' | 'wrong' | 'missing' | 'twice'
}

interface ZipOptions {
  count?: number
  decoy?: Buffer
  /** Bytes before the archive. Its offsets do not count them. */
  prefix?: Buffer
  /**
   * Adds a ZIP64 end record. With `marked`, the plain end record contains markers instead of
   * values.
   */
  zip64?: 'equal' | 'marked'
  /** Changes the ZIP64 end record, its locator and the plain end record in place. */
  damage?: (record: Buffer, locator: Buffer, end: Buffer) => void
}

/**
 * Builds a ZIP file byte by byte, which can also be invalid. `decoy` is a second central directory
 * of the same length, at the offset that the end record states. unzip reads the real directory,
 * which follows the decoy.
 */
export function zipOf(entries: ZipEntry[], options: ZipOptions = {}): Buffer {
  const { count = entries.length, decoy = Buffer.alloc(0), prefix = Buffer.alloc(0) } = options
  const bodies: Buffer[] = [prefix]
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { name, content = '', mode = 0o100644, encrypted, system = 3, descriptor } = entry
    const bytes = Buffer.from(content)
    const packed = entry.isStored ? bytes : deflateRawSync(bytes)
    const size = entry.claims ?? bytes.length
    const path = Buffer.isBuffer(name) ? name : Buffer.from(name)
    const isFlagged = entry.isFlagged ?? (entry.unicodeName === undefined && !Buffer.isBuffer(name))
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE((isFlagged ? 0x0800 : 0) | (encrypted ? 1 : 0) | (descriptor ? 8 : 0), 2)
    common.writeUInt16LE(entry.method ?? (entry.isStored ? 0 : 8), 4)
    common.writeUInt16LE(0x5821, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(path.length, 22)
    const unicode =
      entry.unicodeName === undefined
        ? Buffer.alloc(0)
        : extraOf(path, entry.unicodeName, entry.isStale)
    const local = Buffer.from(common)
    if (descriptor) local.fill(0, 10, 22)
    const sizes = uint64s(local.readUInt32LE(18), local.readUInt32LE(14))
    const localZip64 = entry.isLocalZip64 ? extraField(1, sizes) : Buffer.alloc(0)
    if (entry.isLocalZip64) local.fill(0xff, 14, 22)
    const localExtra = Buffer.concat([localZip64, unicode, entry.localExtra ?? Buffer.alloc(0)])
    local.writeUInt16LE(localExtra.length, 24)
    const after = descriptor
      ? descriptorOf(crc32(bytes), packed.length, size, descriptor)
      : Buffer.alloc(0)
    const mark = Buffer.from('PK\x03\x04', 'latin1')
    const head = Buffer.concat([mark, local, path, localExtra, packed, after])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(system === 3 ? (mode << 16) >>> 0 : 0, 6)
    tail.writeUInt32LE(offset, 10)
    const zip64 = zip64FieldOf(common, tail, entry.zip64)
    const extra = Buffer.concat([zip64, unicode, entry.centralExtra ?? Buffer.alloc(0)])
    common.writeUInt16LE(extra.length, 24)
    const made = Buffer.from([20, system])
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), made, common, tail, path, extra)
    bodies.push(head)
    offset += head.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(decoy.length + offset, 16)
  const zip64End = options.zip64 ? zip64EndOf(end, decoy.length + offset + index.length) : []
  if (options.zip64 === 'marked') end.fill(0xff, 8, 20)
  options.damage?.(zip64End[0], zip64End[1], end)
  const before = Buffer.alloc(decoy.length)
  return Buffer.concat([before, ...bodies, decoy, index, ...zip64End, end])
}

export function extraField(kind: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  const head = Buffer.alloc(4)
  head.writeUInt16LE(kind, 0)
  head.writeUInt16LE(bytes.length, 2)
  return Buffer.concat([head, bytes])
}

function uint64s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  values.forEach((value, index) => bytes.writeBigUInt64LE(BigInt(value), index * 8))
  return bytes
}

function descriptorOf(sum: number, packed: number, size: number, kind: 'plain' | 'zip64'): Buffer {
  const head = Buffer.from('PK\x07\x08\0\0\0\0', 'latin1')
  head.writeUInt32LE(sum, 4)
  const plain = Buffer.alloc(8)
  plain.writeUInt32LE(packed, 0)
  plain.writeUInt32LE(size, 4)
  return Buffer.concat([head, kind === 'plain' ? plain : uint64s(packed, size)])
}

/** Returns the ZIP64 field of an entry. Replaces values in `common` and `tail` by markers if `kind` says so. */
function zip64FieldOf(common: Buffer, tail: Buffer, kind: ZipEntry['zip64']): Buffer {
  if (kind === undefined) return Buffer.alloc(0)
  const [size, packed, offset] = [
    common.readUInt32LE(18),
    common.readUInt32LE(14),
    tail.readUInt32LE(10),
  ]
  if (kind === 'repeated') return extraField(1, uint64s(size, packed, offset))
  if (kind === 'wrong') return extraField(1, uint64s(size + 1, packed, offset))
  tail.fill(0xff, 10)
  if (kind === 'offset') return extraField(1, uint64s(offset))
  common.fill(0xff, 14, 22)
  if (kind === 'missing') return Buffer.alloc(0)
  const field = extraField(1, uint64s(size, packed, offset))
  return kind === 'twice' ? Buffer.concat([field, field]) : field
}

function zip64EndOf(end: Buffer, at: number): [Buffer, Buffer] {
  const [count, length, offset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)]
  const record = Buffer.concat([
    Buffer.from('PK\x06\x06', 'latin1'),
    uint64s(44),
    Buffer.from([45, 0, 45, 0]),
    Buffer.alloc(8),
    uint64s(count, count, length, offset),
  ])
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeUInt32LE(at, 8)
  locator.writeUInt32LE(1, 16)
  return [record, locator]
}

export function withComment(archive: Buffer, comment: string): Buffer {
  const end = Buffer.from(archive)
  end.writeUInt16LE(Buffer.byteLength(comment), end.length - 2)
  return Buffer.concat([end, Buffer.from(comment)])
}

export function directoryOf(archive: Buffer): Buffer {
  const end = archive.length - 22
  return archive.subarray(end - archive.readUInt32LE(end + 12), end)
}

function extraOf(path: Buffer, name: string, isStale = false): Buffer {
  const head = Buffer.from([1, 0, 0, 0, 0])
  head.writeUInt32LE(isStale ? 0 : crc32(path), 1)
  return extraField(0x7075, Buffer.concat([head, Buffer.from(name)]))
}
