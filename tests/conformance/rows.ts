import { admin } from './promises/admin.js'
import { customer } from './promises/customer.js'

/**
 * A requirement. If Berth deviates from it, `instead` describes what Berth does (docs/product.md).
 */
export type Row = string | { promise: string; instead: string }

export type Promises = Record<string, Record<string, Row>>

export const specifications = { 'Administrator area': admin, 'Customer area': customer }

type RowsOf<P> = P extends unknown ? { [Section in keyof P]: keyof P[Section] }[keyof P] : never

/** Number of a requirement, for example `A2.37`. */
export type RowId = Extract<RowsOf<typeof admin> | RowsOf<typeof customer>, string>

/** All requirements in the specification's order. If a number occurs twice by mistake, so does the entry. */
export const allRows: [id: string, row: Row][] = Object.values<Promises>(specifications).flatMap(
  (sections) => Object.values(sections).flatMap((section) => Object.entries(section))
)

/** Returns a requirement's text, with the deviation. */
export function requirementText(row: Row): string {
  return typeof row === 'string' ? row : `${row.promise} (instead: ${row.instead})`
}
