/**
 * Cuts text for a column of type jsonb, and removes what PostgreSQL rejects there: NUL characters,
 * and half of a surrogate pair, for example of an emoji at the cut.
 */
export function storableText(text: string, maxLength = Infinity): string {
  return text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
}
