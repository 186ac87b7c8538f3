/** A reflected CRC. Its initial value and final XOR have all bits set, as in CRC-32C and CRC-64/NVME. */
export interface CrcKind {
  /** In bits: 32 or 64. */
  width: number
  /** Reflected. */
  polynomial: bigint
}

/** The CRC of RFC 3720, appendix B.4. */
export const crc32cKind: CrcKind = { width: 32, polynomial: 0x82f63b78n }
/** The CRC of ISO 3309, which gzip and PNG use. */
export const crc32Kind: CrcKind = { width: 32, polynomial: 0xedb88320n }
/** The CRC of NVM Express ("NVM Command Set", 64-bit protection information). */
export const crc64nvmeKind: CrcKind = { width: 64, polynomial: 0x9a6c9329ac4bc9b5n }

const tables = new Map<CrcKind, { low: Int32Array; high: Int32Array }>()

/**
 * Returns lookup tables for "slicing by 8": the effect of each byte value at each of the 8 positions in an 8-byte
 * group.
 */
function tablesOf(kind: CrcKind): { low: Int32Array; high: Int32Array } {
  const known = tables.get(kind)
  if (known) return known
  const all: bigint[] = []
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) {
      value = value & 1n ? (value >> 1n) ^ kind.polynomial : value >> 1n
    }
    all.push(value)
  }
  for (let at = 256; at < 2_048; at++) {
    all.push((all[at - 256] >> 8n) ^ all[Number(all[at - 256] & 0xffn)])
  }
  const table = {
    low: Int32Array.from(all, (value) => Number(BigInt.asIntN(32, value))),
    high: Int32Array.from(all, (value) => Number(BigInt.asIntN(32, value >> 32n))),
  }
  tables.set(kind, table)
  return table
}

/** Computes a CRC. Stores its two 32-bit halves separately, because bitwise operators of JavaScript work on 32 bits. */
export class CrcState {
  readonly #low: Int32Array
  readonly #high: Int32Array
  #lower = -1
  #upper: number

  readonly #kind: CrcKind

  constructor(kind: CrcKind) {
    this.#kind = kind

    const { low, high } = tablesOf(kind)
    this.#low = low
    this.#high = high
    this.#upper = kind.width === 64 ? -1 : 0
  }

  update(bytes: Buffer): this {
    const low = this.#low
    const high = this.#high
    let lower = this.#lower
    let upper = this.#upper
    let at = 0
    for (const last = bytes.length - 7; at < last; at += 8) {
      const a =
        lower ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24))
      const b =
        upper ^
        (bytes[at + 4] | (bytes[at + 5] << 8) | (bytes[at + 6] << 16) | (bytes[at + 7] << 24))
      const i0 = 1_792 + (a & 255)
      const i1 = 1_536 + ((a >>> 8) & 255)
      const i2 = 1_280 + ((a >>> 16) & 255)
      const i3 = 1_024 + (a >>> 24)
      const i4 = 768 + (b & 255)
      const i5 = 512 + ((b >>> 8) & 255)
      const i6 = 256 + ((b >>> 16) & 255)
      const i7 = b >>> 24
      lower = low[i0] ^ low[i1] ^ low[i2] ^ low[i3] ^ low[i4] ^ low[i5] ^ low[i6] ^ low[i7]
      upper = high[i0] ^ high[i1] ^ high[i2] ^ high[i3] ^ high[i4] ^ high[i5] ^ high[i6] ^ high[i7]
    }
    for (; at < bytes.length; at++) {
      const index = (lower ^ bytes[at]) & 255
      lower = ((lower >>> 8) | (upper << 24)) ^ low[index]
      upper = (upper >>> 8) ^ high[index]
    }
    this.#lower = lower
    this.#upper = upper
    return this
  }

  /** Returns the CRC of all bytes so far in big-endian order, as S3 sends it. */
  digest(): Buffer {
    const bytes = Buffer.alloc(8)
    bytes.writeInt32BE(~this.#upper, 0)
    bytes.writeInt32BE(~this.#lower, 4)
    return this.#kind.width === 64 ? bytes : bytes.subarray(4)
  }
}

/**
 * Returns the CRC of two concatenated byte sequences from their separate CRCs. `length` is the number of bytes of the
 * second sequence.
 */
export function combineCrcs(kind: CrcKind, first: bigint, second: bigint, length: number): bigint {
  let power = 1n << BigInt(kind.width - 1)
  let square = 1n << BigInt(kind.width - 9)
  for (let left = length; left > 0; left = Math.floor(left / 2)) {
    if (left % 2) power = times(kind, power, square)
    square = times(kind, square, square)
  }
  return times(kind, power, first) ^ second
}

/** Multiplies two polynomials over GF(2), modulo the CRC's polynomial. The highest bit is the coefficient of x^0. */
function times({ width, polynomial }: CrcKind, a: bigint, b: bigint): bigint {
  let product = 0n
  let shifted = b
  for (let bit = 1n << BigInt(width - 1); bit; bit >>= 1n) {
    if (a & bit) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n
  }
  return product
}
