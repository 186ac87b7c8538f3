import { admin } from './promises/admin.js'
import { customer } from './promises/customer.js'

/** What is promised; where we decided otherwise, what stands in its place (docs/product.md). */
export type Row = string | { promise: string; instead: string }

/** The rows of one specification: section, then number of the row. */
export type Promises = Record<string, Record<string, Row>>

/** The two specifications, in the order of the document. */
export const specifications = { 'Administrator area': admin, 'Customer area': customer }

type RowsOf<P> = P extends unknown ? { [Section in keyof P]: keyof P[Section] }[keyof P] : never

/** The number of a row, like `A2.37`. */
export type PromiseId = Extract<RowsOf<typeof admin> | RowsOf<typeof customer>, string>

/** All rows with their numbers, as they stand in the document; a number may stand twice by mistake. */
export const allRows: [id: string, row: Row][] = Object.values<Promises>(specifications).flatMap(
  (sections) => Object.values(sections).flatMap((section) => Object.entries(section))
)

/** The words of a row, with what stands in its place. */
export function wordsOf(row: Row): string {
  return typeof row === 'string' ? row : `${row.promise} (instead: ${row.instead})`
}
