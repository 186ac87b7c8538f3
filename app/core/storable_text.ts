/**
 * Shortens text for a jsonb column. Removes NUL, and replaces lone surrogates, for example of an emoji that was cut,
 * by U+FFFD. PostgreSQL rejects both.
 */
export function storableText(text: string, maxLength = Infinity): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
}
