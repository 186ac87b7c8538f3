import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a test archive. Its metadata is correct unless an option below says otherwise. */
export interface ZipEntry {
  /**
   * A string is written as UTF-8 with the UTF-8 flag. Bytes, and names with a `unicodeName`, have
   * no flag.
   */
  name: string | Buffer
  content?: string | Buffer
  /** Unix mode with the file type, for example 0o120777 for a symbolic link. */
  mode?: number
  /** Uncompressed size that the archive states, if it differs from the real one. */
  claims?: number
  encrypted?: boolean
  /** Name in Info-ZIP's Unicode Path extra field (0x7075). */
  unicodeName?: string
  /** Whether that field's checksum belongs to another name. */
  isStale?: boolean
  /**
   * The system that created the entry: 3 is Unix (default), 0 is MS-DOS and Windows, 10 is NTFS.
   */
  system?: number
}

/**
 * Builds a ZIP file byte by byte, also invalid ones. `decoy` is a second central directory of the
 * same length, at the offset that the end record states. unzip reads the real one, which follows
 * it.
 */
export function zipOf(
  entries: ZipEntry[],
  options: { count?: number; decoy?: Buffer } = {}
): Buffer {
  const { count = entries.length, decoy = Buffer.alloc(0) } = options
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content = '', mode = 0o100644, claims, encrypted, ...rest } of entries) {
    const { unicodeName, isStale, system = 3 } = rest
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const path = Buffer.isBuffer(name) ? name : Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    const isFlagged = unicodeName === undefined && !Buffer.isBuffer(name)
    common.writeUInt16LE((isFlagged ? 0x0800 : 0) | (encrypted ? 1 : 0), 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt16LE(0x5821, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claims ?? bytes.length, 18)
    common.writeUInt16LE(path.length, 22)
    const extra = unicodeName === undefined ? Buffer.alloc(0) : extraOf(path, unicodeName, isStale)
    common.writeUInt16LE(extra.length, 24)
    const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, extra, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(system === 3 ? (mode << 16) >>> 0 : 0, 6)
    tail.writeUInt32LE(offset, 10)
    const made = Buffer.from([20, system])
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), made, common, tail, path, extra)
    bodies.push(head)
    offset += head.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(decoy.length + offset, 12)
  const before = Buffer.alloc(decoy.length)
  const mark = Buffer.from('PK\x05\x06', 'latin1')
  return Buffer.concat([before, ...bodies, decoy, index, mark, end])
}

export function directoryOf(archive: Buffer): Buffer {
  const end = archive.length - 22
  return archive.subarray(end - archive.readUInt32LE(end + 12), end)
}

function extraOf(path: Buffer, name: string, isStale = false): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(5 + Buffer.byteLength(name), 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(isStale ? 0 : crc32(path), 5)
  return Buffer.concat([field, Buffer.from(name)])
}
