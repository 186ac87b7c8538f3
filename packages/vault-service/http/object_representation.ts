import type { StoredObject, Vault } from '../types.js'
import { compress, codings, etagSuffixes, type Coding } from './compression.js'
import { corsHeaders } from './cors.js'
import {
  attachmentDisposition,
  isInlineType,
  isCompressibleType,
  safeContentType,
} from './content_types.js'

/** What is compressed on the fly, bytes. Less is not worth it, more takes too long. */
const COMPRESSIBLE_BYTES = { least: 1024, most: 1024 ** 2 }

/** Up to this size, bytes, head and body are also kept as one piece, which is written faster than two. */
export const MAX_SINGLE_WRITE_BYTES = 131_072

/** Nothing runs, nothing is loaded: whatever is opened here is only looked at. */
const policy = `default-src 'none'; style-src 'unsafe-inline'; sandbox`

/** One object as readers get it: what describes it, and its bytes where they are kept in memory. */
export class ObjectRepresentation {
  readonly lastModified: string
  /** Whether it is sent compressed to whom can read that. */
  readonly isText: boolean
  readonly #type: string
  readonly #compressed: Partial<Record<Coding, Promise<Buffer | undefined>>> = {}
  readonly #heads: Partial<Record<Coding, Buffer>> = {}
  readonly #bodies: Partial<Record<Coding, Buffer>> = {}
  /** Those that would not make it smaller. */
  readonly #useless = new Set<Coding>()

  constructor(
    readonly vault: Vault,
    readonly object: StoredObject,
    /** Undefined: too large to be kept. */
    readonly body: Buffer | undefined
  ) {
    this.lastModified = object.modifiedAt.toUTCString()
    this.#type = safeContentType(object.type)
    this.isText =
      body !== undefined &&
      body.length >= COMPRESSIBLE_BYTES.least &&
      body.length <= COMPRESSIBLE_BYTES.most &&
      isCompressibleType(this.#type) &&
      !object.headers.contentEncoding &&
      !/no-transform/i.test(object.headers.cacheControl ?? '')
    if (body) this.#bodies.identity = body
  }

  /** At most, with what it is compressed to, bytes. */
  get bytes(): number {
    const length = this.body?.length ?? 0
    return (
      2048 + length * (this.isText ? codings.length : 1) * (length > MAX_SINGLE_WRITE_BYTES ? 1 : 2)
    )
  }

  etag(coding: Coding = 'identity'): string {
    return `"${this.object.etag}${etagSuffixes[coding]}"`
  }

  /** All tags by which somebody may know it. */
  get etags(): string[] {
    return this.isText ? codings.map((coding) => this.etag(coding)) : [this.etag()]
  }

  /** Makes sure that `bodyIn` and `head` have it in that coding, and says in which they do. */
  async prepare(coding: Coding): Promise<Coding> {
    if (coding === 'identity' || !this.isText) return 'identity'
    this.#compressed[coding] ??= compress(this.body!, coding)
    const small = await this.#compressed[coding]
    if (small) this.#bodies[coding] = small
    else this.#useless.add(coding)
    return small ? coding : 'identity'
  }

  /** What is sent to whom wants that coding, as far as `prepare` found out. */
  instead(coding: Coding): Coding {
    return !this.isText || this.#useless.has(coding) ? 'identity' : coding
  }

  /** The body in that coding, if it is in memory. */
  bodyIn(coding: Coding): Buffer | undefined {
    return this.#bodies[coding]
  }

  /** Whatever is sent of it, also 304: who may keep it, how to ask again, who may read it. */
  validators(coding: Coding, isLink: boolean): Record<string, string> {
    const { headers } = this.object
    return {
      ETag: this.etag(coding),
      'Last-Modified': this.lastModified,
      'Cache-Control': this.#cacheControl(isLink),
      ...(headers.expires && { Expires: printable(headers.expires) }),
      ...(this.isText && { Vary: 'Accept-Encoding' }),
    }
  }

  /** Headers of the whole body, without its length. */
  headers(coding: Coding, isLink = false, download = false): Record<string, string> {
    const { headers } = this.object
    const disposition = this.#disposition(download)
    const encoding = coding === 'identity' ? headers.contentEncoding : coding
    return {
      'Content-Type': this.#type,
      ...this.validators(coding, isLink),
      'Accept-Ranges': 'bytes',
      ...(encoding && { 'Content-Encoding': printable(encoding) }),
      ...(headers.contentLanguage && { 'Content-Language': printable(headers.contentLanguage) }),
      ...(disposition && { 'Content-Disposition': disposition }),
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': policy,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    }
  }

  /**
   * The head of a plain 200 after its date, ready to be written; undefined where that coding is not prepared. For
   * requests without `Origin` of vaults that are not private.
   */
  head(coding: Coding): Buffer | undefined {
    const body = this.#bodies[coding]
    if (!body) return undefined
    return (this.#heads[coding] ??= this.#writeHead(coding, body.length))
  }

  #writeHead(coding: Coding, length: number): Buffer {
    const headers = mergeHeaders(
      this.headers(coding),
      corsHeaders(this.vault.cors, undefined, 'GET')
    )
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.from(`${lines.join('')}Content-Length: ${length}\r\n\r\n`, 'latin1')
  }

  /** In a private vault the object's own words count only if no shared cache may keep it by them. */
  #cacheControl(isLink: boolean): string {
    const own = printable(this.object.headers.cacheControl ?? '')
    const isPrivate = this.vault.isPrivate || isLink
    if (isPrivate) return /private|no-store/i.test(own) ? own : 'private, no-store'
    return own || 'public, max-age=60, must-revalidate'
  }

  #disposition(download: boolean): string | undefined {
    const own = printable(this.object.headers.contentDisposition ?? '')
    if (/^attachment\b/i.test(own)) return own
    if (download || !isInlineType(this.#type)) return attachmentDisposition(this.object.name)
    return own || undefined
  }
}

/** Two sets of headers; both have a say in `Vary`. */
export function mergeHeaders(
  one: Record<string, string>,
  other: Record<string, string>
): Record<string, string> {
  const vary = [one.Vary, other.Vary].filter(Boolean).join(', ')
  return { ...one, ...other, ...(vary && { Vary: vary }) }
}

/** What was sent with an object, without what could begin another header. */
function printable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '')
}
