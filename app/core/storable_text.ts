/**
 * Cuts text for a jsonb column. Removes NUL characters and half surrogate pairs (for example of an emoji at
 * the cut), which PostgreSQL rejects.
 */
export function storableText(text: string, maxLength = Infinity): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
}
