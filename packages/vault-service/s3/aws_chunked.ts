import { createHash } from 'node:crypto'
import { S3Error } from './errors.js'
import type { ChunkSignatureVerifier } from './signature.js'

const MAX_LINE_BYTES = 1_024
const MAX_TRAILERS = 16

export interface ChunkedOptions {
  /** Length of the body in bytes after decoding. */
  length: number
  /** Verifies the signatures of the chunks. Undefined if chunks are not signed. */
  signer?: ChunkSignatureVerifier
  trailer: boolean
}

const malformed = (message: string) => new S3Error('InvalidRequest', message)

/**
 * Decodes `aws-chunked` bodies ("Transferring Payload in Multiple Chunks"). Yields data before it has verified the
 * signature of the data's chunk, so trust the data only after the end of the body. Names in `trailers` are in lower
 * case. At most one line is buffered.
 */
export class AwsChunkedDecoder {
  readonly trailers = new Map<string, string>()
  #state: 'size' | 'data' | 'gap' | 'trailer' | 'end' = 'size'
  #line = ''
  /**
   * Remaining bytes of the current chunk. `#remaining`: bytes of the body that have not been announced by a chunk yet.
   */
  #left = 0
  #remaining: number
  #hash = createHash('sha256')
  #signature = ''

  readonly #options: ChunkedOptions

  constructor(options: ChunkedOptions) {
    this.#options = options

    this.#remaining = options.length
  }

  async *decode(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const bytes of source) {
      let at = 0
      while (at < bytes.length) {
        if (this.#state === 'data') {
          const data = bytes.subarray(at, at + this.#left)
          at += data.length
          this.#take(data)
          yield data
        } else {
          at = this.#readLine(bytes, at)
        }
      }
    }
    this.#finish()
  }

  #take(data: Buffer): void {
    if (this.#options.signer) this.#hash.update(data)
    this.#left -= data.length
    if (this.#left > 0) return
    this.#endChunk()
    this.#state = 'gap'
  }

  #endChunk(): void {
    const { signer } = this.#options
    if (!signer) return
    if (!signer.isChunk(this.#hash.digest('hex'), this.#signature)) {
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk of the body is wrong.')
    }
    this.#hash = createHash('sha256')
  }

  #readLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(10, from)
    const to = end < 0 ? bytes.length : end
    if (this.#line.length + to - from > MAX_LINE_BYTES)
      throw malformed('A line of the body is too long.')
    this.#line += bytes.toString('latin1', from, to)
    if (end < 0) return bytes.length
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    this.#line = ''
    this.#useLine(line)
    return end + 1
  }

  #useLine(line: string): void {
    if (this.#state === 'size') this.#beginChunk(line)
    else if (this.#state === 'trailer') this.#readTrailer(line)
    else if (line !== '') throw malformed('A chunk of the body is longer than its announced size.')
    else if (this.#state === 'gap') this.#state = 'size'
  }

  #beginChunk(line: string): void {
    const match = /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line)
    if (!match || (this.#options.signer && !match[2])) {
      throw malformed('A chunk of the body must begin with its size and signature.')
    }
    this.#left = Number.parseInt(match[1], 16)
    this.#signature = match[2] ?? ''
    if (this.#left > this.#remaining) {
      throw malformed('The body is longer than x-amz-decoded-content-length.')
    }
    this.#remaining -= this.#left
    if (this.#left > 0) {
      this.#state = 'data'
      return
    }
    this.#endChunk()
    this.#state = this.#options.trailer ? 'trailer' : 'end'
  }

  #readTrailer(line: string): void {
    if (line === '') return
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (colon < 1 || this.trailers.size >= MAX_TRAILERS) {
      throw malformed('The data after the body is not a valid trailer.')
    }
    if (name !== 'x-amz-trailer-signature') {
      this.trailers.set(name, value)
      return
    }
    const { signer } = this.#options
    const lines = [...this.trailers].map((pair) => `${pair.join(':')}\n`).join('')
    const digest = createHash('sha256').update(lines, 'latin1').digest('hex')
    if (signer && !signer.isTrailer(digest, value)) {
      throw new S3Error('SignatureDoesNotMatch', 'The signature of the trailer is wrong.')
    }
    this.#state = 'end'
  }

  #finish(): void {
    const { signer, trailer } = this.#options
    const isWhole = this.#state === 'end' || (this.#state === 'trailer' && !signer)
    if (this.#line !== '' || !isWhole || this.#remaining > 0) {
      const missing = trailer && signer ? ' or its signature' : ''
      throw new S3Error('IncompleteBody', `The body ended before its last chunk${missing}.`)
    }
  }
}
