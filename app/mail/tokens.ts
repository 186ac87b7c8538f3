import { createHash } from 'node:crypto'

/** What is kept of a link's secret (256 random bits, so that no salt is needed). */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
