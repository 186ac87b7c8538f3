import type { RowId } from './rows.js'

export const unproven: RowId[] = []
