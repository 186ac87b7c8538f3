/**
 * Parses a positive integer id. Returns `null` for other values, and for numbers that PostgreSQL or JavaScript
 * cannot represent exactly.
 */
export function parseRecordId(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}

/** Parses a UUID. Returns it in lower case, or `null`. */
export function parseRecordUuid(value: unknown): string | null {
  const shape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  return typeof value === 'string' && shape.test(value) ? value : null
}
