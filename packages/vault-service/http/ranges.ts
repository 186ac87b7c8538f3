import { VaultError } from '../errors.js'

/** Both ends are inclusive, as in `Content-Range`. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a `Range` header for a body of `size` bytes (RFC 9110, 14.1.2 and 14.2). `all`: send the whole body, because
 * the header is missing or invalid, or has another unit or several ranges. `none`: the range cannot be satisfied (416).
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'all' | 'none' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '')
  if (!match || (!match[1] && !match[2])) return 'all'
  const [first, last] = [Number(match[1]), Number(match[2])]
  if (!match[1]) {
    if (last === 0) return 'none'
    // For an empty object, a range of the last N bytes is the whole object. `Content-Range` cannot express an empty
    // range.
    return size === 0 ? 'all' : { start: Math.max(size - last, 0), end: size - 1 }
  }
  if (match[2] && last < first) return 'all'
  if (first >= size) return 'none'
  return { start: first, end: match[2] ? Math.min(last, size - 1) : size - 1 }
}

export function rangeNotSatisfiableError(size: number): VaultError {
  return new VaultError(
    416,
    'range',
    `The requested range is outside the object, which has ${size} bytes.`,
    {
      'Content-Range': `bytes */${size}`,
    }
  )
}
