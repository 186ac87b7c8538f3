import type { PromiseId } from './rows.js'

/** Rows that no test proves yet. */
export const unproven: PromiseId[] = []
