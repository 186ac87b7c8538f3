import { test } from '@japa/runner'
import { createHash, randomBytes } from 'node:crypto'
import { AwsChunkedDecoder } from '../aws_chunked.js'
import { S3Error } from '../errors.js'
import { ChunkSignatureVerifier, EMPTY_SHA256, computeSignature, signingKey } from '../signature.js'

const scope = '20261123/us-east-1/s3/aws4_request'
const time = '20261123T000000Z'
const seed = 'a'.repeat(64)
const key = signingKey('secret', scope)
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

/** Encodes a body as `aws-chunked`, like S3 clients. */
function encode(chunks: Buffer[], { signed = true, trailer = '' } = {}): Buffer {
  let previous = seed
  const next = (kind: string, ...digests: string[]) =>
    (previous = computeSignature(key, [kind, time, scope, previous, ...digests].join('\n')))
  const parts: (Buffer | string)[] = []
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    const signature = next('AWS4-HMAC-SHA256-PAYLOAD', EMPTY_SHA256, sha256(chunk))
    parts.push(`${chunk.length.toString(16)}${signed ? `;chunk-signature=${signature}` : ''}\r\n`)
    if (chunk.length) parts.push(chunk, '\r\n')
  }
  if (trailer) {
    parts.push(`${trailer}\r\n`)
    const signature = next('AWS4-HMAC-SHA256-TRAILER', sha256(`${trailer}\n`))
    if (signed) parts.push(`x-amz-trailer-signature:${signature}\r\n`)
  }
  parts.push('\r\n')
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

async function* pieces(...all: Buffer[]): AsyncIterable<Buffer> {
  yield* all
}

function decoder(length: number, { signed = true, trailer = false } = {}): AwsChunkedDecoder {
  const signer = signed ? new ChunkSignatureVerifier(key, time, scope, seed) : undefined
  return new AwsChunkedDecoder({ length, signer, trailer })
}

async function decode(chunked: AwsChunkedDecoder, ...sent: Buffer[]): Promise<Buffer> {
  const data: Buffer[] = []
  for await (const piece of chunked.decode(pieces(...sent))) data.push(piece)
  return Buffer.concat(data)
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof S3Error ? error.code : String(error))
  )

test.group('S3 bodies in aws-chunked encoding', () => {
  const data = [randomBytes(40), Buffer.from('\r\n0;chunk-signature=\r\n'), randomBytes(1)]
  const whole = Buffer.concat(data)

  for (const signed of [true, false]) {
    const trailer = 'x-amz-checksum-crc32:AAAAAA=='
    test(`decodes bodies split at every byte, ${signed ? 'signed' : 'unsigned'}, with a trailer`, async ({
      assert,
    }) => {
      const sent = encode(data, { signed, trailer })
      for (let at = 0; at <= sent.length; at++) {
        const chunked = decoder(whole.length, { signed, trailer: true })
        const read = await decode(chunked, sent.subarray(0, at), sent.subarray(at))
        assert.isTrue(read.equals(whole), `at ${at}`)
        assert.equal(chunked.trailers.get('x-amz-checksum-crc32'), 'AAAAAA==')
      }
      const bytes = [...sent].map((byte) => Buffer.from([byte]))
      const chunked = decoder(whole.length, { signed, trailer: true })
      assert.isTrue((await decode(chunked, ...bytes)).equals(whole))
    })
  }

  test('decodes bodies without a trailer, and empty ones', async ({ assert }) => {
    assert.isTrue((await decode(decoder(whole.length), encode(data))).equals(whole))
    assert.equal((await decode(decoder(0), encode([]))).length, 0)
  })

  test('verifies every byte of data, signatures and trailer', async ({ assert }) => {
    const sent = encode(data, { trailer: 'x-amz-checksum-crc32:AAAAAA==' })
    for (let at = 0; at < sent.length; at++) {
      // The signatures do not cover line endings.
      if (sent[at] === 13 || sent[at] === 10) continue
      const changed = Buffer.from(sent)
      changed[at] ^= 1
      const code = await codeOf(decode(decoder(whole.length, { trailer: true }), changed))
      assert.notEqual(code, 'done', `byte ${at}, ${JSON.stringify(changed.toString('latin1'))}`)
    }
  })

  test('a body that ends too early is rejected, at any byte', async ({ assert }) => {
    const sent = encode(data, { trailer: 'x-amz-checksum-crc32:AAAAAA==' })
    for (let at = 0; at < sent.length - 2; at++) {
      const code = await codeOf(
        decode(decoder(whole.length, { trailer: true }), sent.subarray(0, at))
      )
      assert.equal(code, 'IncompleteBody', `at ${at}`)
    }
  })

  test('rejects reordered chunks, a wrong length and lines that are too long', async ({
    assert,
  }) => {
    const [first, second] = [randomBytes(8), randomBytes(8)]
    const sent = encode([first, second])
    const line = sent.indexOf('\r\n') + 2 + 8 + 2
    const swapped = Buffer.concat([
      sent.subarray(line, 2 * line),
      sent.subarray(0, line),
      sent.subarray(2 * line),
    ])
    assert.equal(await codeOf(decode(decoder(16), swapped)), 'SignatureDoesNotMatch')
    assert.equal(await codeOf(decode(decoder(15), sent)), 'InvalidRequest')
    assert.equal(await codeOf(decode(decoder(17), sent)), 'IncompleteBody')
    const endless = Buffer.alloc(2_000, '1')
    assert.equal(await codeOf(decode(decoder(16), endless)), 'InvalidRequest')
    const unsigned = encode([first, second], { signed: false })
    assert.equal(await codeOf(decode(decoder(16), unsigned)), 'InvalidRequest')
  })

  test('limits the size of trailers, which must be signed if the chunks are', async ({
    assert,
  }) => {
    const sent = encode(data, { signed: false })
    const many = Array.from({ length: 17 }, (_, at) => `x-${at}:1\r\n`).join('')
    const long = Buffer.concat([sent.subarray(0, -2), Buffer.from(many)])
    const options = { signed: false, trailer: true }
    assert.equal(await codeOf(decode(decoder(whole.length, options), long)), 'InvalidRequest')
    const bare = encode(data)
    const code = await codeOf(decode(decoder(whole.length, { trailer: true }), bare))
    assert.equal(code, 'IncompleteBody')
  })
})
