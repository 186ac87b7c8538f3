import { S3Error } from './errors.js'

/** A path-style address of S3: `/{vault key}/{name}`. */
export interface S3Address {
  /** Path as the client sent it, not decoded. */
  rawPath: string
  path: string
  query: [name: string, value: string][]
  /** Empty if the request is for the service itself. */
  bucket: string
  /** Empty if the request is for the bucket itself. */
  name: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses the path and the query of a request.
 * @throws S3Error InvalidURI if the path does not begin with a slash, or if the path or the query is not valid UTF-8 in
 *   percent-encoding
 */
export function parseS3Address(target: string): S3Address {
  const at = target.indexOf('?')
  const rawPath = at < 0 ? target : target.slice(0, at)
  if (!rawPath.startsWith('/'))
    throw new S3Error('InvalidURI', 'The address must begin with a slash.')
  const path = decodePercent(rawPath)
  const [, bucket, name] = /^\/([^/]*)\/?(.*)$/s.exec(path)!
  const pairs =
    at < 0
      ? []
      : target
          .slice(at + 1)
          .split('&')
          .filter(Boolean)
  const query = pairs.map((pair): [string, string] => {
    const equals = pair.indexOf('=')
    const [left, right] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
    return [decodePercent(left.replaceAll('+', ' ')), decodePercent(right.replaceAll('+', ' '))]
  })
  return { rawPath, path, query, bucket, name }
}

/**
 * Decodes %XX sequences. Other bytes stay unchanged.
 * @throws S3Error InvalidURI for an invalid sequence or invalid UTF-8
 */
export function decodePercent(text: string): string {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw invalid()
  const bytes = Buffer.from(
    text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1'
  )
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid()
  }
}

function invalid(): S3Error {
  return new S3Error('InvalidURI', 'The address is not encoded as UTF-8 with %XX.')
}
