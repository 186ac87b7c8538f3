import { isReservedDatabase } from '#databases/names'
import type { Server } from '#databases/servers/server'

/** Pages and exports omit these temporary collections. */
export const IMPORT_COLLECTION_PREFIX = 'berth_import_'
/** Pages do not list these users. */
export const TEMPORARY_USER_PREFIX = 'berth_work_'

export function isAccountDatabase({ prefix }: Pick<Server, 'prefix'>, name: string): boolean {
  return !isReservedDatabase('mongodb', name) && name.startsWith(prefix)
}

export function isUserCollection(name: string): boolean {
  return !name.startsWith('system.') && !name.startsWith(IMPORT_COLLECTION_PREFIX)
}
