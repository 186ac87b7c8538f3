import { invalid } from '#core/refusal'

/** PATH_MAX less the web root, in bytes. */
const LONGEST_PATH = 4_000

/**
 * A path of a call, below the web root: no slash at either end, `''` for the web root itself. One
 * leading slash is the web root's. Throws 422 for what leads out of it; links are followed and
 * checked on the machine.
 */
export function pathBelow(given: string, field = 'path'): string {
  const parts = given.split('/').filter((part) => part !== '' && part !== '.')
  if (
    parts.includes('..') ||
    given.includes('\0') ||
    !given.isWellFormed() ||
    Buffer.byteLength(given) > LONGEST_PATH ||
    parts.some((part) => Buffer.byteLength(part) > 255 || part.startsWith('.berth-'))
  ) {
    throw invalid({ [field]: 'This is no path below the web root.' })
  }
  return parts.join('/')
}
