import { randomUUID } from 'node:crypto'

/** A number that is ordered by time (RFC 9562, 5.7). Node keeps random bytes for randomUUID, which randomBytes asks for each time. */
export function newId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
