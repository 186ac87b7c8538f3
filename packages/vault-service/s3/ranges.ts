/** Bytes, both included. */
export interface Range {
  start: number
  end: number
}

/**
 * What of `size` bytes a Range header asks for (RFC 9110, section 14). What is no range of bytes, or
 * several, is the whole; `none` is answered with 416.
 */
export function rangeOf(header: string | undefined, size: number): Range | 'whole' | 'none' {
  const found = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  if (!found || (found[1] === '' && found[2] === '')) return 'whole'
  if (found[1] === '') {
    const length = Math.min(Number(found[2]), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(found[1])
  const end = found[2] === '' ? size - 1 : Number(found[2])
  if (found[2] !== '' && end < start) return 'whole'
  return start >= size ? 'none' : { start, end: Math.min(end, size - 1) }
}
