import type { PromiseId } from './rows.js'

/**
 * Rows that no test proves yet. MongoDB's import and export over HTTP need a server that knows roles, which none that
 * tests can have does; what they do below HTTP is in `app/databases/tests/mongodb_transfer.spec.ts`.
 */
export const unproven: PromiseId[] = ['C7.42', 'C7.43']
