/**
 * Shortens text for a jsonb column. Removes characters that PostgreSQL rejects: NUL, and half surrogate pairs, for
 * example of an emoji that was cut.
 */
export function storableText(text: string, maxLength = Infinity): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
}
