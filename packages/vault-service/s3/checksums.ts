import { createHash } from 'node:crypto'
import { crc32 as nativeCrc32 } from 'node:zlib'
import { combineCrcs, CrcState, crc32Kind, crc32cKind, crc64nvmeKind, type CrcKind } from './crc.js'

/** Checksum algorithms of S3 ("Checking object integrity"). */
export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const

export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/**
 * Whether the checksum of a multipart object is computed from the checksums of its parts (`COMPOSITE`) or from all its
 * bytes (`FULL_OBJECT`).
 */
export type ChecksumType = 'COMPOSITE' | 'FULL_OBJECT'

export interface ChecksumHasher {
  update(bytes: Buffer): unknown
  digest(): Buffer
}

const kinds: Partial<Record<ChecksumAlgorithm, CrcKind>> = {
  CRC32: crc32Kind,
  CRC32C: crc32cKind,
  CRC64NVME: crc64nvmeKind,
}

/** In bytes. */
const lengths: Record<ChecksumAlgorithm, number> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
}

export function parseChecksumAlgorithm(name: string): ChecksumAlgorithm | undefined {
  return checksumAlgorithms.find((known) => known === name.toUpperCase())
}

export function checksumHeaderName(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`
}

export function checksumElementName(algorithm: ChecksumAlgorithm): string {
  return `Checksum${algorithm}`
}

/** Returns whether a text is base64 of a checksum with the algorithm's length. */
export function isChecksum(algorithm: ChecksumAlgorithm, text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === lengths[algorithm] && bytes.toString('base64') === text
}

export function createChecksumHasher(algorithm: ChecksumAlgorithm): ChecksumHasher {
  if (algorithm === 'CRC32') return new NativeCrc32()
  const kind = kinds[algorithm]
  return kind ? new CrcState(kind) : createHash(algorithm.toLowerCase())
}

class NativeCrc32 implements ChecksumHasher {
  #value = 0

  update(bytes: Buffer): void {
    this.#value = nativeCrc32(bytes, this.#value)
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(this.#value)
    return bytes
  }
}

/** Returns the checksum types that an algorithm supports, the default first. */
export function checksumTypesOf(algorithm: ChecksumAlgorithm): ChecksumType[] {
  if (algorithm === 'CRC64NVME') return ['FULL_OBJECT']
  return kinds[algorithm] ? ['COMPOSITE', 'FULL_OBJECT'] : ['COMPOSITE']
}

/**
 * Computes an object's checksum from those of its parts, as base64. For COMPOSITE, `-` and the number of parts follow.
 * @throws TypeError if the algorithm cannot combine checksums of parts
 */
export function checksumOfParts(
  algorithm: ChecksumAlgorithm,
  type: ChecksumType,
  parts: { checksum: string; size: number }[]
): string {
  if (type === 'COMPOSITE') {
    const digest = createChecksumHasher(algorithm)
    for (const { checksum } of parts) digest.update(Buffer.from(checksum, 'base64'))
    return `${digest.digest().toString('base64')}-${parts.length}`
  }
  const kind = kinds[algorithm]
  if (!kind) throw new TypeError(`${algorithm} of a whole object cannot be computed from its parts`)
  const value = (text: string) => BigInt(`0x${Buffer.from(text, 'base64').toString('hex')}`)
  const whole = parts
    .slice(1)
    .reduce(
      (sum, { checksum, size }) => combineCrcs(kind, sum, value(checksum), size),
      value(parts[0].checksum)
    )
  const bytes = Buffer.from(whole.toString(16).padStart(kind.width / 4, '0'), 'hex')
  return bytes.toString('base64')
}
