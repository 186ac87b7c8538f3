import type { ResultColumn } from '#databases/servers/engine_driver'

const FORMULA_PATTERN = /^[=+\-@\t\r]/

const BYTE_ORDER_MARK = '\ufeff'

/**
 * Formats a line of CSV (RFC 4180). NULL is an empty cell, an empty string is `""`. Text that a spreadsheet would
 * run as a formula gets an apostrophe, because site visitors may have written it. `exact` omits the apostrophe.
 */
export function csvLine(columns: ResultColumn[], cells: (string | null)[], exact = false): string {
  const fields = cells.map((cell, index) => {
    if (cell === null) return ''
    const isNumber = columns[index]?.kind === 'number'
    return quoted(!exact && !isNumber && FORMULA_PATTERN.test(cell) ? `'${cell}` : cell)
  })
  return `${fields.join(',')}\r\n`
}

/**
 * Formats the header line. Column names also get an apostrophe if they look like a formula. The header starts with
 * a byte order mark, so that Excel reads UTF-8. `exact` omits both.
 */
export function csvHeader(columns: ResultColumn[], exact = false): string {
  const names = columns.map(({ name }) => name)
  const asText = columns.map((column) => ({ ...column, kind: 'text' }))
  return `${exact ? '' : BYTE_ORDER_MARK}${csvLine(asText, names, exact)}`
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
