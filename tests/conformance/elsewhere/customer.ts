import type { Elsewhere } from '../table.js'

/** Rows of the customer area that tests of other folders prove. */
export const customer: Elsewhere = {}
