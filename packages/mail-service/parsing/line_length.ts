import { MAX_LINE_BYTES } from '../limits.js'

/**
 * Returns the number (from 1) of the first line that is too long for mail servers. Returns undefined if there is none.
 */
export function findTooLongLine(raw: Buffer): number | undefined {
  let line = 1
  for (let start = 0; start < raw.length; line++) {
    const end = raw.indexOf(10, start)
    const next = end < 0 ? raw.length : end + 1
    const isEnded = end > 0 && raw[end - 1] === 13
    if (next - start - (isEnded ? 2 : 0) > MAX_LINE_BYTES) return line
    start = next
  }
  return undefined
}
