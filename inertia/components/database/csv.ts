/**
 * Returns CSV (RFC 4180) with CRLF line ends. Values with a comma, quote or line break are quoted. NULL becomes an
 * empty field and an empty text becomes `""`, so that readers can distinguish them.
 */
export function toCsv(columns: string[], rows: (string | null)[][]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: string | null): string {
  if (value === null) return ''
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
