import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import {
  checksumAlgorithms,
  checksumOfParts,
  isChecksum,
  createChecksumHasher,
  type ChecksumAlgorithm,
} from '../checksums.js'
import { CrcState, crc32Kind } from '../crc.js'

const hex = (algorithm: ChecksumAlgorithm, ...pieces: (Buffer | string)[]) => {
  const digest = createChecksumHasher(algorithm)
  for (const piece of pieces) digest.update(Buffer.from(piece))
  return digest.digest().toString('hex')
}
const base64 = (algorithm: ChecksumAlgorithm, bytes: Buffer) =>
  Buffer.from(hex(algorithm, bytes), 'hex').toString('base64')

test.group('S3 checksums', () => {
  test('checksums equal published values', ({ assert }) => {
    // Expected values for "123456789". Those of the CRCs are from the catalogue of parametrised CRC algorithms.
    assert.equal(hex('CRC32', '123456789'), 'cbf43926')
    assert.equal(hex('CRC32C', '123456789'), 'e3069283')
    assert.equal(hex('CRC64NVME', '123456789'), 'ae8b14860a799888')
    assert.equal(hex('SHA1', '123456789'), 'f7c3bc1d808e04732adf679965ccc34ca7ae3441')
    // Expected values from RFC 3720, B.4, and from NVM Express, "Test Cases".
    assert.equal(hex('CRC32C', Buffer.alloc(32)), '8a9136aa')
    assert.equal(hex('CRC32C', Buffer.alloc(32, 0xff)), '62a8ab43')
    assert.equal(hex('CRC64NVME', Buffer.alloc(4_096)), '6482d367eb22b64e')
    assert.equal(hex('CRC64NVME', Buffer.alloc(4_096, 0xff)), 'c0ddba7302eca3ac')
  })

  test('checksums do not depend on how the bytes are split', ({ assert }) => {
    const bytes = randomBytes(300)
    for (const algorithm of checksumAlgorithms) {
      const whole = hex(algorithm, bytes)
      for (let at = 0; at <= bytes.length; at++) {
        assert.equal(hex(algorithm, bytes.subarray(0, at), bytes.subarray(at)), whole)
      }
    }
    const own = new CrcState(crc32Kind).update(bytes).digest().toString('hex')
    assert.equal(own, hex('CRC32', bytes))
  })

  test('an object’s checksum can be computed from those of its parts', ({ assert }) => {
    const parts = [0, 1, 7, 4_096, 100_003, 8].map((size) => randomBytes(size))
    for (const algorithm of ['CRC32', 'CRC32C', 'CRC64NVME'] as const) {
      const known = parts.map((part) => ({ checksum: base64(algorithm, part), size: part.length }))
      const whole = base64(algorithm, Buffer.concat(parts))
      assert.equal(checksumOfParts(algorithm, 'FULL_OBJECT', known), whole)
    }
    const digests = parts.map((part) => Buffer.from(hex('SHA256', part), 'hex'))
    const known = digests.map((digest) => ({ checksum: digest.toString('base64'), size: 1 }))
    const expected = `${base64('SHA256', Buffer.concat(digests))}-6`
    assert.equal(checksumOfParts('SHA256', 'COMPOSITE', known), expected)
  })

  test('a checksum must be base64 with the right length', ({ assert }) => {
    assert.isTrue(isChecksum('CRC32', 'AAAAAA=='))
    for (const bad of ['', 'AAAAAA', 'AAAAAAA=', 'AAAAAB==', 'AAAA AA==']) {
      assert.isFalse(isChecksum('CRC32', bad), bad)
    }
  })
})
