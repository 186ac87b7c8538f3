/**
 * Returns `null` for all values except positive integers, and above 2^53 - 1, which JavaScript cannot represent
 * exactly.
 */
export function parseRecordId(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return null
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : null
}

/** Returns a UUID in lower case unchanged, and `null` for every other value. */
export function parseRecordUuid(value: unknown): string | null {
  const shape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  return typeof value === 'string' && shape.test(value) ? value : null
}
