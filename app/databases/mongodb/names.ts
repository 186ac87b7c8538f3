import { isReservedDatabase } from '#databases/names'
import type { Server } from '#databases/servers/server'

/** What collections of work in progress begin with: not listed, not exported. */
export const IMPORT_COLLECTION_PREFIX = 'berth_import_'
/** What users for one piece of work begin with; pages leave them out. */
export const TEMPORARY_USER_PREFIX = 'berth_work_'

/** Whether a database is one of this account's, by its name on the server. */
export function isAccountDatabase({ prefix }: Pick<Server, 'prefix'>, name: string): boolean {
  return !isReservedDatabase('mongodb', name) && name.startsWith(prefix)
}

/** Collections that people made: neither the server's own nor those of an import that is under way. */
export function isUserCollection(name: string): boolean {
  return !name.startsWith('system.') && !name.startsWith(IMPORT_COLLECTION_PREFIX)
}
