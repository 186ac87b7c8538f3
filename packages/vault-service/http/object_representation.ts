import type { StoredObject, Vault } from '../types.js'
import { compress, contentCodings, etagSuffixes, type ContentCoding } from './compression.js'
import { corsHeaders } from './cors.js'
import {
  attachmentDisposition,
  isInlineType,
  isCompressibleType,
  safeContentType,
} from './content_types.js'

/**
 * Sizes of bodies that are compressed before they are sent. For smaller bodies, compression gains too little. For
 * larger ones, it takes too long.
 */
const COMPRESSIBLE_BYTES = { least: 1024, most: 1024 ** 2 }

/** Maximum size of a body that is written together with the headers. Up to this size, one write is faster than two. */
export const MAX_SINGLE_WRITE_BYTES = 131_072

/** Content security policy that allows no scripts and loads nothing. */
const policy = `default-src 'none'; style-src 'unsafe-inline'; sandbox`

/** The HTTP response for an object: its headers and, if they are in memory, its bytes. */
export class ObjectRepresentation {
  readonly lastModified: string
  /**
   * Whether the body may be compressed: in memory, of a suitable type and size, not encoded already, and without
   * `no-transform`.
   */
  readonly isCompressible: boolean
  readonly #type: string
  readonly #compressed: Partial<Record<ContentCoding, Promise<Buffer | undefined>>> = {}
  readonly #heads: Partial<Record<ContentCoding, Buffer>> = {}
  readonly #bodies: Partial<Record<ContentCoding, Buffer>> = {}
  /** Encodings for which a compressed body turned out not to be smaller. */
  readonly #useless = new Set<ContentCoding>()

  constructor(
    readonly vault: Vault,
    readonly object: StoredObject,
    /** Undefined if it is too large to hold in memory. */
    readonly body: Buffer | undefined
  ) {
    this.lastModified = object.modifiedAt.toUTCString()
    this.#type = safeContentType(object.type)
    this.isCompressible =
      body !== undefined &&
      body.length >= COMPRESSIBLE_BYTES.least &&
      body.length <= COMPRESSIBLE_BYTES.most &&
      isCompressibleType(this.#type) &&
      !object.headers.contentEncoding &&
      !/no-transform/i.test(object.headers.cacheControl ?? '')
    if (body) this.#bodies.identity = body
  }

  /** Upper bound of the memory that this object uses, including compressed bodies. */
  get bytes(): number {
    const length = this.body?.length ?? 0
    return (
      2048 +
      length *
        (this.isCompressible ? contentCodings.length : 1) *
        (length > MAX_SINGLE_WRITE_BYTES ? 1 : 2)
    )
  }

  etag(coding: ContentCoding = 'identity'): string {
    return `"${this.object.etag}${etagSuffixes[coding]}"`
  }

  get etags(): string[] {
    return this.isCompressible ? contentCodings.map((coding) => this.etag(coding)) : [this.etag()]
  }

  /**
   * Compresses the body with an encoding, and stores the result. Returns the encoding to use, which is `identity` if
   * the compressed body would not be smaller.
   */
  async prepare(coding: ContentCoding): Promise<ContentCoding> {
    if (coding === 'identity' || !this.isCompressible) return 'identity'
    this.#compressed[coding] ??= compress(this.body!, coding)
    const small = await this.#compressed[coding]
    if (small) this.#bodies[coding] = small
    else this.#useless.add(coding)
    return small ? coding : 'identity'
  }

  /**
   * Returns the encoding to use for a client that accepts `coding`. It is `identity` if `prepare` found that `coding`
   * does not make the body smaller.
   */
  instead(coding: ContentCoding): ContentCoding {
    return !this.isCompressible || this.#useless.has(coding) ? 'identity' : coding
  }

  bodyIn(coding: ContentCoding): Buffer | undefined {
    return this.#bodies[coding]
  }

  /** Returns the headers that 200, 206 and 304 have in common: those for caching, and validators such as the ETag. */
  validators(coding: ContentCoding, isLink: boolean): Record<string, string> {
    const { headers } = this.object
    return {
      ETag: this.etag(coding),
      'Last-Modified': this.lastModified,
      'Cache-Control': this.#cacheControl(isLink),
      ...(headers.expires && { Expires: printable(headers.expires) }),
      ...(this.isCompressible && { Vary: 'Accept-Encoding' }),
    }
  }

  /** Returns the headers of a response with the whole body, except Content-Length. */
  headers(coding: ContentCoding, isLink = false, download = false): Record<string, string> {
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
   * Returns the headers of a plain 200 response that follow `Date`, as bytes. Returns undefined if the body has not
   * been prepared in this encoding. Use it only for public vaults and requests without `Origin`.
   */
  head(coding: ContentCoding): Buffer | undefined {
    const body = this.#bodies[coding]
    if (!body) return undefined
    return (this.#heads[coding] ??= this.#writeHead(coding, body.length))
  }

  #writeHead(coding: ContentCoding, length: number): Buffer {
    const headers = mergeHeaders(
      this.headers(coding),
      corsHeaders(this.vault.cors, undefined, 'GET')
    )
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.from(`${lines.join('')}Content-Length: ${length}\r\n\r\n`, 'latin1')
  }

  /** In a private vault or by a signed link, an object's own Cache-Control is used only if it forbids shared caches. */
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

export function mergeHeaders(
  one: Record<string, string>,
  other: Record<string, string>
): Record<string, string> {
  const vary = [one.Vary, other.Vary].filter(Boolean).join(', ')
  return { ...one, ...other, ...(vary && { Vary: vary }) }
}

/** Removes everything except printable ASCII from a stored value. A line break could start another header. */
function printable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '')
}
