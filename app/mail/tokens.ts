import { createHash } from 'node:crypto'

/** A token has 256 random bits, so its hash needs no salt. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
