import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type ContentCoding = 'identity' | 'br' | 'gzip'

export const contentCodings: ContentCoding[] = ['identity', 'br', 'gzip']

/**
 * Suffix of an object's ETag for each content encoding. Each encoding has different bytes, so it needs a different
 * strong ETag (RFC 9110, 8.8.3.3).
 */
export const etagSuffixes: Record<ContentCoding, string> = { identity: '', br: '-br', gzip: '-gz' }

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Chooses a content encoding from `Accept-Encoding` (RFC 9110, 12.5.3): `br` if the client accepts it, otherwise
 * `gzip`, otherwise none.
 */
export function chooseCoding(header: string | undefined): ContentCoding {
  if (!header) return 'identity'
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((one) => one.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  if (weightOf('br') > 0) return 'br'
  return weightOf('gzip') > 0 ? 'gzip' : 'identity'
}

/** Compresses bytes in Node's thread pool. Returns undefined if the result would not be smaller. */
export async function compress(
  body: Buffer,
  coding: Exclude<ContentCoding, 'identity'>
): Promise<Buffer | undefined> {
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  }
  const small = coding === 'br' ? await brotli(body, options) : await gzipped(body, { level: 6 })
  return small.length < body.length ? small : undefined
}
