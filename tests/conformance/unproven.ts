import type { PromiseId } from './rows.js'

export const unproven: PromiseId[] = []
