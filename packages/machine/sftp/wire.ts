import type { FileStat } from '../types.js'

/** SFTP version 3: draft-ietf-secsh-filexfer-02, and OpenSSH's PROTOCOL for extensions. */
export const packet = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const

export const status = { ok: 0, eof: 1, noSuchFile: 2, permissionDenied: 3, unsupported: 8 } as const

export const openFlag = { read: 1, write: 2, create: 8, truncate: 16, exclusive: 32 } as const

const attribute = { size: 1, owner: 2, mode: 4, times: 8, extended: 0x80000000 } as const

export interface Attributes {
  mode?: number
  owner?: { uid: number; gid: number }
}

export function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4)
  buffer.writeUInt32BE(value)
  return buffer
}

export function uint64(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(8)
  buffer.writeBigUInt64BE(BigInt(value))
  return buffer
}

export function string(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([uint32(bytes.length), bytes])
}

export function attributes(values: Attributes): Buffer {
  const parts: Buffer[] = []
  let flags = 0
  if (values.owner) {
    flags |= attribute.owner
    parts.push(uint32(values.owner.uid), uint32(values.owner.gid))
  }
  if (values.mode !== undefined) {
    flags |= attribute.mode
    parts.push(uint32(values.mode & 0o7777))
  }
  return Buffer.concat([uint32(flags), ...parts])
}

/** Reads the fields of one answer; running past its end throws a RangeError. */
export class Reader {
  private offset = 0
  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.offset
  }

  uint32(): number {
    const value = this.bytes.readUInt32BE(this.offset)
    this.offset += 4
    return value
  }

  uint64(): number {
    const value = this.bytes.readBigUInt64BE(this.offset)
    this.offset += 8
    return Number(value)
  }

  string(): Buffer {
    const length = this.uint32()
    if (length > this.left) throw new RangeError('An answer ends inside a string')
    const value = this.bytes.subarray(this.offset, this.offset + length)
    this.offset += length
    return value
  }

  attributes(): FileStat {
    const flags = this.uint32()
    const size = flags & attribute.size ? this.uint64() : 0
    const uid = flags & attribute.owner ? this.uint32() : 0
    const gid = flags & attribute.owner ? this.uint32() : 0
    const mode = flags & attribute.mode ? this.uint32() : 0
    let mtime = 0
    if (flags & attribute.times) {
      this.uint32()
      mtime = this.uint32()
    }
    if (flags & attribute.extended) {
      for (let left = this.uint32(); left > 0; left--) {
        this.string()
        this.string()
      }
    }
    return { size, mtime, mode: mode & 0o7777, uid, gid, kind: kindOf(mode) }
  }
}

function kindOf(mode: number): FileStat['kind'] {
  switch (mode & 0o170000) {
    case 0o100000:
      return 'file'
    case 0o040000:
      return 'directory'
    case 0o120000:
      return 'symlink'
    default:
      return 'other'
  }
}
