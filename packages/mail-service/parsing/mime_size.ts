import { DKIM_SIGNATURES, MIME_PARTS } from '../limits.js'
import { headerProblem, readHeader } from '../smtp/headers.js'

const NEWLINE = 10
const HYPHEN = 0x2d
const TYPE = /^content-type:/i

/** Why mail that comes in is not read: it has more parts or signatures than mail of people has. */
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
  // A part needs no type; a line of a text can begin with two hyphens.
  const isTooMany = parts > MIME_PARTS || boundaries > MIME_PARTS * 10
  return isTooMany ? `The message has more than ${MIME_PARTS} parts` : undefined
}
