import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of an archive made by hand, honest unless told otherwise. */
export interface ZipEntry {
  name: string
  content?: string | Buffer
  /** Unix mode with its kind, e.g. 0o120777 for a symbolic link. */
  mode?: number
  /** What the directory claims as size. */
  claims?: number
  encrypted?: boolean
  /** Its name as Info-ZIP's extra field (0x7075) gives it. */
  unicodeName?: string
}

/** Writes a zip file, good or bad, byte by byte. */
export function zipOf(entries: ZipEntry[], { count = entries.length } = {}): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content = '', mode = 0o100644, claims, encrypted, unicodeName } of entries) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    const plain = unicodeName === undefined ? 0x0800 : 0
    common.writeUInt16LE(plain | (encrypted ? 1 : 0), 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt16LE(0x5821, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claims ?? bytes.length, 18)
    common.writeUInt16LE(path.length, 22)
    const extra = unicodeName === undefined ? Buffer.alloc(0) : extraOf(path, unicodeName)
    common.writeUInt16LE(extra.length, 24)
    const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, extra, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    const made = Buffer.from([20, 3])
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), made, common, tail, path, extra)
    bodies.push(head)
    offset += head.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies, index, Buffer.from('PK\x05\x06', 'latin1'), end])
}

function extraOf(path: Buffer, name: string): Buffer {
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(5 + Buffer.byteLength(name), 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(crc32(path), 5)
  return Buffer.concat([field, Buffer.from(name)])
}
