import { randomUUID } from 'node:crypto'

/**
 * Returns a time-ordered UUID (RFC 9562, 5.7). It is made from `randomUUID`, for which Node caches random bytes.
 * `randomBytes` would be slower.
 */
export function newId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
