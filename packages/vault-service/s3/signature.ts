import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The parts of a request that Signature Version 4 signs. Header values have one character per received byte. */
export interface SignableRequest {
  method: string
  /** Percent-encoded. */
  path: string
  /** Decoded query parameters, except X-Amz-Signature. */
  query: [name: string, value: string][]
  /** Headers in the order of SignedHeaders, with names in lower case. */
  headers: [name: string, value: string][]
  /** Value of `x-amz-content-sha256`. */
  payload: string
}

/** Encodes all bytes except letters, digits and `-._~` as %XX ("UriEncode" of S3's documentation). */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
}

export function uriEncodePath(path: string): string {
  return path.split('/').map(uriEncode).join('/')
}

/** S3, "Signature Calculations for the Authorization Header", task 1. */
export function canonicalRequest({
  method,
  path,
  query,
  headers,
  payload,
}: SignableRequest): string {
  const pairs = query.map(([name, value]) => [uriEncode(name), uriEncode(value)])
  pairs.sort(([a, x], [b, y]) => order(a, b) || order(x, y))
  return [
    method,
    path,
    pairs.map((pair) => pair.join('=')).join('&'),
    ...headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    headers.map(([name]) => name).join(';'),
    payload,
  ].join('\n')
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** @param scope day, region, service and `aws4_request`, separated by slashes */
export function stringToSign(timestamp: string, scope: string, canonical: string): string {
  const digest = createHash('sha256').update(canonical, 'latin1').digest('hex')
  return ['AWS4-HMAC-SHA256', timestamp, scope, digest].join('\n')
}

export function signingKey(secret: string, scope: string): Buffer {
  const first: Buffer = Buffer.from(`AWS4${secret}`)
  return scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), first)
}

export function computeSignature(key: Buffer, text: string): string {
  return hmac(key, text).toString('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Compares in constant time, so that the response time reveals nothing about the expected signature. */
export function equalsInConstantTime(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Verifies the signatures of a body's chunks. Each signature covers the previous one. */
export class ChunkSignatureVerifier {
  readonly #key: Buffer
  readonly #timestamp: string
  readonly #scope: string
  #previous: string

  constructor(key: Buffer, timestamp: string, scope: string, previous: string) {
    this.#key = key
    this.#timestamp = timestamp
    this.#scope = scope
    this.#previous = previous
  }

  /** Verifies a chunk. `digest` is the SHA-256 of the chunk's data in hexadecimal. */
  isChunk(digest: string, signature: string): boolean {
    return this.#isNext('AWS4-HMAC-SHA256-PAYLOAD', [EMPTY_SHA256, digest], signature)
  }

  /** Verifies the trailer. `digest` is the SHA-256 of the trailer lines in hexadecimal. */
  isTrailer(digest: string, signature: string): boolean {
    return this.#isNext('AWS4-HMAC-SHA256-TRAILER', [digest], signature)
  }

  #isNext(kind: string, digests: string[], signature: string): boolean {
    const lines = [kind, this.#timestamp, this.#scope, this.#previous, ...digests]
    this.#previous = computeSignature(this.#key, lines.join('\n'))
    return equalsInConstantTime(this.#previous, signature)
  }
}
