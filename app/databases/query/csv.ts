import type { ResultColumn } from '#databases/servers/engine_driver'

/** What spreadsheets take for a formula when a cell begins with it. */
const FORMULA_PATTERN = /^[=+\-@\t\r]/

/**
 * A line of CSV (RFC 4180). NULL is an empty cell, an empty text is `""`. Text that a spreadsheet would
 * run as a formula gets an apostrophe before it, since visitors of sites write into databases and
 * customers open the file; `exact` leaves it as it is, for programs.
 */
export function csvLine(columns: ResultColumn[], cells: (string | null)[], exact = false): string {
  const fields = cells.map((cell, index) => {
    if (cell === null) return ''
    const isNumber = columns[index]?.kind === 'number'
    return quoted(!exact && !isNumber && FORMULA_PATTERN.test(cell) ? `'${cell}` : cell)
  })
  return `${fields.join(',')}\r\n`
}

/** The first line: names of columns, which customers' programs choose as freely as values. */
export function csvHead(columns: ResultColumn[], exact = false): string {
  const names = columns.map(({ name }) => name)
  const asText = columns.map((column) => ({ ...column, kind: 'text' }))
  return csvLine(asText, names, exact)
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
