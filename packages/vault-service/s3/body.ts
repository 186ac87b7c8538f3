import { createHash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { readChunks } from '../store/byte_source.js'
import type { Checksums } from '../types.js'
import {
  parseChecksumAlgorithm,
  checksumAlgorithms,
  checksumHeaderName,
  isChecksum,
  createChecksumHasher,
  type ChecksumAlgorithm,
  type ChecksumHasher,
} from './checksums.js'
import { AwsChunkedDecoder } from './aws_chunked.js'
import type { SignatureClaim, HeaderLookup } from './signature_claim.js'
import { S3Error } from './errors.js'
import { ChunkSignatureVerifier } from './signature.js'

interface Payload {
  /** SHA-256 of the whole body. It comes from the request's signature. */
  digest?: string
  chunked?: { isSigned: boolean; trailer: boolean }
}

const payloads: Record<string, Payload> = {
  'UNSIGNED-PAYLOAD': {},
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { chunked: { isSigned: true, trailer: false } },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { chunked: { isSigned: true, trailer: true } },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { chunked: { isSigned: false, trailer: true } },
}

/** A checksum that the client announces. If `value` is undefined, the value follows in the trailer after the body. */
export interface SentChecksum {
  algorithm: ChecksumAlgorithm
  value?: string
}

/**
 * The body of an S3 request. Reading it to the end verifies its signature, SHA-256, Content-MD5 and S3's checksums. If
 * one of them does not match, reading throws an error, at the latest at the end of the body.
 */
export class RequestBody implements AsyncIterable<Buffer> {
  readonly size?: number
  taken = 0
  /** Checksums that the client sent or requested. Complete only when the body has been read to its end. */
  readonly checksums: Checksums = {}
  /** Whether the client sent a signature, checksum or Content-MD5 of the bytes. Reading the body verifies it. */
  readonly isVerifiable: boolean
  readonly #payload: Payload
  readonly #chunked?: AwsChunkedDecoder
  readonly #sent?: SentChecksum
  readonly #md5?: string
  readonly #digests = new Map<ChecksumAlgorithm, ChecksumHasher>()

  readonly #request: IncomingMessage
  readonly #onWanted: () => void

  constructor(
    request: IncomingMessage,
    header: HeaderLookup,
    signed: { claim: SignatureClaim; signingKey: Buffer },
    /** Called when reading starts, so that the server can send `100 Continue` and the client sends the body. */
    onWanted: () => void = () => {}
  ) {
    this.#request = request
    this.#onWanted = onWanted

    this.#payload = payloadOf(signed.claim.payload)
    this.size = sizeOf(header, this.#payload)
    this.#sent = sentChecksum(header)
    this.#md5 = sentMd5(header)
    this.#chunked = this.#createChunked(signed)
    this.isVerifiable = Boolean(
      this.#payload.digest || this.#payload.chunked?.isSigned || this.#sent || this.#md5
    )
    if (this.#sent) this.compute(this.#sent.algorithm)
  }

  get algorithm(): ChecksumAlgorithm | undefined {
    return this.#sent?.algorithm
  }

  compute(algorithm: ChecksumAlgorithm): void {
    if (!this.#digests.has(algorithm)) this.#digests.set(algorithm, createChecksumHasher(algorithm))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    this.#onWanted()
    const raw = readChunks(this.#request)
    const sha256 = this.#payload.digest ? createHash('sha256') : undefined
    const md5 = this.#md5 ? createHash('md5') : undefined
    const all = [sha256, md5, ...this.#digests.values()].filter((one) => one !== undefined)
    for await (const bytes of this.#chunked?.decode(raw) ?? raw) {
      this.taken += bytes.length
      for (const digest of all) digest.update(bytes)
      yield bytes
    }
    this.#check(sha256, md5)
  }

  #check(sha256?: Hash, md5?: Hash): void {
    if (sha256 && sha256.digest('hex') !== this.#payload.digest) {
      throw new S3Error(
        'XAmzContentSHA256Mismatch',
        'The SHA-256 that was signed (x-amz-content-sha256) did not match what we received.'
      )
    }
    if (md5 && md5.digest('base64') !== this.#md5) {
      throw new S3Error(
        'BadDigest',
        'The Content-MD5 you specified did not match what we received.'
      )
    }
    for (const [algorithm, digest] of this.#digests) {
      this.checksums[algorithm] = digest.digest().toString('base64')
    }
    if (!this.#sent) return
    const { algorithm } = this.#sent
    const header = checksumHeaderName(algorithm)
    const value = this.#sent.value ?? this.#chunked?.trailers.get(header)
    if (value === undefined) {
      throw new S3Error(
        'InvalidRequest',
        `The request announced ${header}, but its trailer does not contain this checksum.`
      )
    }
    if (value !== this.checksums[algorithm]) {
      throw new S3Error(
        'BadDigest',
        `The ${algorithm} you specified in ${header} did not match what we received.`
      )
    }
  }

  #createChunked({
    claim,
    signingKey,
  }: {
    claim: SignatureClaim
    signingKey: Buffer
  }): AwsChunkedDecoder | undefined {
    const { chunked } = this.#payload
    if (!chunked) return undefined
    const { timestamp, scope, signature } = claim
    return new AwsChunkedDecoder({
      length: this.size!,
      trailer: chunked.trailer,
      signer: chunked.isSigned
        ? new ChunkSignatureVerifier(signingKey, timestamp, scope, signature)
        : undefined,
    })
  }
}

function payloadOf(contentSha256: string): Payload {
  const known = Object.hasOwn(payloads, contentSha256) ? payloads[contentSha256] : undefined
  if (known) return known
  if (/^[0-9a-f]{64}$/.test(contentSha256)) return { digest: contentSha256 }
  throw new S3Error(
    'InvalidArgument',
    `x-amz-content-sha256 must be a SHA-256 in hexadecimal or one of ${Object.keys(payloads).join(', ')}.`
  )
}

function sizeOf(header: HeaderLookup, { chunked }: Payload): number | undefined {
  const name = chunked ? 'x-amz-decoded-content-length' : 'content-length'
  const text = header(name)
  if (text === undefined) {
    if (chunked) throw new S3Error('MissingContentLength', `The header ${name} is missing.`)
    return undefined
  }
  if (!/^\d{1,15}$/.test(text))
    throw new S3Error('InvalidArgument', `${name} must be a number of bytes.`)
  return Number(text)
}

function sentMd5(header: HeaderLookup): string | undefined {
  const text = header('content-md5')
  if (text === undefined) return undefined
  if (/^[A-Za-z0-9+/]{22}==$/.test(text)) return text
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not an MD5 in base64.')
}

/**
 * Reads the announced checksum from a request's headers or a form's fields.
 * @throws S3Error InvalidRequest if the checksum is malformed, if there are several, or if
 *   `x-amz-sdk-checksum-algorithm` names an unsupported algorithm or a different one
 */
export function sentChecksum(header: HeaderLookup): SentChecksum | undefined {
  const inHeaders = checksumAlgorithms.filter(
    (one) => header(checksumHeaderName(one)) !== undefined
  )
  const announced = (header('x-amz-trailer') ?? '').toLowerCase().split(',')
  const inTrailer = checksumAlgorithms.filter((one) =>
    announced.some((name) => name.trim() === checksumHeaderName(one))
  )
  if (inHeaders.length + inTrailer.length > 1) {
    throw new S3Error(
      'InvalidRequest',
      'Send only one checksum, either in a header or in a trailer.'
    )
  }
  const [algorithm] = [...inHeaders, ...inTrailer]
  assertNamed(header, algorithm)
  if (!algorithm) return undefined
  const value = header(checksumHeaderName(algorithm))
  if (value !== undefined && !isChecksum(algorithm, value)) {
    throw new S3Error(
      'InvalidRequest',
      `${checksumHeaderName(algorithm)} must be a ${algorithm} in base64.`
    )
  }
  return { algorithm, value }
}

function assertNamed(header: HeaderLookup, sent: ChecksumAlgorithm | undefined): void {
  const name = header('x-amz-sdk-checksum-algorithm')
  if (name === undefined) return
  const algorithm = parseChecksumAlgorithm(name)
  if (!algorithm) {
    throw new S3Error(
      'InvalidRequest',
      `The checksum algorithm ${name} is not supported. Use one of ${checksumAlgorithms.join(', ')}.`
    )
  }
  if (sent && sent !== algorithm) {
    throw new S3Error('InvalidRequest', `The request announced ${name}, but ${sent} was sent.`)
  }
}

/** @throws S3Error EntityTooLarge if the body has more than `maxBytes` */
export async function readText(body: RequestBody, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of body) {
    pieces.push(piece)
    if (body.taken > maxBytes) {
      throw new S3Error('EntityTooLarge', `This request can have at most ${maxBytes} bytes.`)
    }
  }
  return Buffer.concat(pieces).toString()
}
