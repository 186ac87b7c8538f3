/**
 * How an editor has to split a text so that it comes out byte for byte: at the one ending it uses,
 * or, where endings are mixed, at \n alone, with each \r kept as a character of its line.
 */
export function lineSeparator(text: string): '\n' | '\r\n' {
  const all = text.match(/\r\n|\r|\n/g)
  return all && all.every((end) => end === '\r\n') ? '\r\n' : '\n'
}

/** For people: which line ends a text has. */
export function lineEndingLabel(text: string): string {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? [])
  if (ends.size > 1) return 'Mixed line endings'
  return ends.has('\r\n') ? 'CRLF' : ends.has('\r') ? 'CR' : 'LF'
}
