/**
 * RFC 4180: CRLF between lines, what holds a comma, a quote or a line's end in quotes. NULL is empty,
 * an empty text is a pair of quotes, so that they can be told apart.
 */
export function toCsv(columns: string[], rows: (string | null)[][]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: string | null): string {
  if (value === null) return ''
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
