import { MAX_DKIM_SIGNATURES, MAX_MIME_PARTS } from '../limits.js'
import { headerProblem, readHeader } from '../smtp/headers.js'

const NEWLINE_BYTE = 10
const HYPHEN_BYTE = 0x2d
const CONTENT_TYPE_PATTERN = /^content-type:/i

/**
 * Returns the reason to reject an incoming message: a long header, or more MIME parts or DKIM signatures than any real
 * mail has. Returns undefined if there is no reason.
 */
export function mimeLimitProblem(raw: Buffer): string | undefined {
  const problem = headerProblem(raw)
  if (problem) return problem
  const { fields } = readHeader(raw)
  if (fields.filter(({ name }) => name === 'dkim-signature').length > MAX_DKIM_SIGNATURES) {
    return `The message has more than ${MAX_DKIM_SIGNATURES} DKIM signatures`
  }
  let parts = 0
  let boundaries = 0
  for (
    let at = 0;
    at >= 0 && at < raw.length;
    at = raw.indexOf(NEWLINE_BYTE, at) + 1 || raw.length
  ) {
    if (raw[at] === HYPHEN_BYTE && raw[at + 1] === HYPHEN_BYTE) boundaries++
    if ((raw[at]! | 32) === 0x63 && CONTENT_TYPE_PATTERN.test(raw.toString('latin1', at, at + 13)))
      parts++
  }
  // Counts each line that starts with two hyphens as a boundary, because a part needs no Content-Type. Text may contain
  // such lines too, so their limit is higher.
  const isTooMany = parts > MAX_MIME_PARTS || boundaries > MAX_MIME_PARTS * 10
  return isTooMany ? `The message has more than ${MAX_MIME_PARTS} parts` : undefined
}
