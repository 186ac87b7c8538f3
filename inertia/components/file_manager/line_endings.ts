/**
 * Returns the line separator with which an editor preserves the text byte for byte. If all line endings are CRLF, it is
 * CRLF. Otherwise it is LF, and each CR stays a character of its line.
 */
export function lineSeparator(text: string): '\n' | '\r\n' {
  const all = text.match(/\r\n|\r|\n/g)
  return all && all.every((end) => end === '\r\n') ? '\r\n' : '\n'
}

export function lineEndingLabel(text: string): string {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? [])
  if (ends.size > 1) return 'Mixed line endings'
  return ends.has('\r\n') ? 'CRLF' : ends.has('\r') ? 'CR' : 'LF'
}
