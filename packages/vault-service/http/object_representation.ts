import type { StoredObject, Vault } from '../types.js'
import { compress, contentCodings, etagSuffixes, type ContentCoding } from './compression.js'
import { corsHeaders } from './cors.js'
import {
  attachmentDisposition,
  isInlineType,
  isCompressibleType,
  safeContentType,
} from './content_types.js'

/** Sizes of bodies that are compressed on the fly. Smaller bodies gain too little, larger ones take too long. */
const COMPRESSIBLE_BYTES = { least: 1024, most: 1024 ** 2 }

/** Up to this size, one buffer contains head and body, because one write is faster than two. */
export const MAX_SINGLE_WRITE_BYTES = 131_072

/** Content security policy that allows no scripts and loads nothing. */
const policy = `default-src 'none'; style-src 'unsafe-inline'; sandbox`

/** An object's HTTP representation: its headers, and its bytes if memory holds them. */
export class ObjectRepresentation {
  readonly lastModified: string
  /** Whether clients that accept compression get compressed bytes. */
  readonly isText: boolean
  readonly #type: string
  readonly #compressed: Partial<Record<ContentCoding, Promise<Buffer | undefined>>> = {}
  readonly #heads: Partial<Record<ContentCoding, Buffer>> = {}
  readonly #bodies: Partial<Record<ContentCoding, Buffer>> = {}
  /** Encodings that do not make the body smaller. */
  readonly #useless = new Set<ContentCoding>()

  constructor(
    readonly vault: Vault,
    readonly object: StoredObject,
    /** The body. Undefined if it is too large to hold in memory. */
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

  /** Upper limit of the used memory, including compressed bodies. */
  get bytes(): number {
    const length = this.body?.length ?? 0
    return (
      2048 +
      length * (this.isText ? contentCodings.length : 1) * (length > MAX_SINGLE_WRITE_BYTES ? 1 : 2)
    )
  }

  etag(coding: ContentCoding = 'identity'): string {
    return `"${this.object.etag}${etagSuffixes[coding]}"`
  }

  /** Returns one entity tag for each encoding. */
  get etags(): string[] {
    return this.isText ? contentCodings.map((coding) => this.etag(coding)) : [this.etag()]
  }

  /** Prepares the body in an encoding. Returns the encoding that will be used. */
  async prepare(coding: ContentCoding): Promise<ContentCoding> {
    if (coding === 'identity' || !this.isText) return 'identity'
    this.#compressed[coding] ??= compress(this.body!, coding)
    const small = await this.#compressed[coding]
    if (small) this.#bodies[coding] = small
    else this.#useless.add(coding)
    return small ? coding : 'identity'
  }

  /** Returns the encoding for a client that asks for `coding`, as far as `prepare` has determined it. */
  instead(coding: ContentCoding): ContentCoding {
    return !this.isText || this.#useless.has(coding) ? 'identity' : coding
  }

  bodyIn(coding: ContentCoding): Buffer | undefined {
    return this.#bodies[coding]
  }

  /** Returns headers of every response, including 304: caching and validators. */
  validators(coding: ContentCoding, isLink: boolean): Record<string, string> {
    const { headers } = this.object
    return {
      ETag: this.etag(coding),
      'Last-Modified': this.lastModified,
      'Cache-Control': this.#cacheControl(isLink),
      ...(headers.expires && { Expires: printable(headers.expires) }),
      ...(this.isText && { Vary: 'Accept-Encoding' }),
    }
  }

  /** Returns headers of the whole body, without Content-Length. */
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
   * Returns the headers after `Date` in a plain 200 response as bytes. Returns undefined if the body is not
   * prepared in this encoding. Only for requests without `Origin` to public vaults.
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

  /** A private vault uses the object's own Cache-Control only if it forbids shared caching. */
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

/** Removes characters with which a stored header value could start another header. */
function printable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '')
}
