import type { PromiseId } from './rows.js'

/** Rows that no test proves yet. One that is proven has to leave, and none may be added that a test had proven. */
export const unproven: PromiseId[] = []
