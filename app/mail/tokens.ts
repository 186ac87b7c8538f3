import { createHash } from 'node:crypto'

/** Returns the stored hash of a link's token. A token has 256 random bits, so it needs no salt. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
