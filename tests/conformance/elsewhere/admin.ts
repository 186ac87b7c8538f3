import type { Elsewhere } from '../table.js'

/** Rows of the administrator area that tests of other folders prove. */
export const admin: Elsewhere = []
