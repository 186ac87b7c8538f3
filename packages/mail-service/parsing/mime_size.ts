import { DKIM_SIGNATURES, MIME_PARTS } from '../limits.js'
import { headerProblem, readHeader } from '../smtp/headers.js'

const NEWLINE = 10
const HYPHEN = 0x2d
const TYPE = /^content-type:/i

/**
 * Returns why an incoming message is rejected: it has more parts or signatures than real mail. Undefined if
 * it is accepted.
 */
export function readingProblem(raw: Buffer): string | undefined {
  const problem = headerProblem(raw)
  if (problem) return problem
  const { fields } = readHeader(raw)
  if (fields.filter(({ name }) => name === 'dkim-signature').length > DKIM_SIGNATURES) {
    return `The message has more than ${DKIM_SIGNATURES} signatures`
  }
  let parts = 0
  let boundaries = 0
  for (let at = 0; at >= 0 && at < raw.length; at = raw.indexOf(NEWLINE, at) + 1 || raw.length) {
    if (raw[at] === HYPHEN && raw[at + 1] === HYPHEN) boundaries++
    if ((raw[at]! | 32) === 0x63 && TYPE.test(raw.toString('latin1', at, at + 13))) parts++
  }
  // A part needs no Content-Type, so lines with two hyphens count as boundaries too. Text may contain some.
  const isTooMany = parts > MIME_PARTS || boundaries > MIME_PARTS * 10
  return isTooMany ? `The message has more than ${MIME_PARTS} parts` : undefined
}
