import { type HeldLock, waitForLock } from '#core/locks'
import { tooManyRequests } from '#core/app_error'
import { databaseServerKey } from '#databases/queries/resolve_requested_database'
import { findFreeSlot } from '#databases/query/query_lock'
import type { Server } from '#databases/servers/server'

const MAX_CONCURRENT_EXPORTS = 2
const PREVIOUS_EXPORT_WAIT_MS = 3_000

/**
 * Waits for one of two slots of an instance's server, or of one account on a managed server. The slots count for
 * all processes. On a managed MySQL server, an export occupies one of the sandboxes that all accounts share, until the
 * download ends. The caller must release the slot.
 * @throws 429 if both slots are still in use after the wait
 */
export async function holdExportSlot(server: Server): Promise<HeldLock> {
  const key = `exports:${databaseServerKey(server)}`
  const slot = await waitForLock(
    () => findFreeSlot(key, MAX_CONCURRENT_EXPORTS),
    PREVIOUS_EXPORT_WAIT_MS
  )
  if (slot) return slot
  throw tooManyRequests(
    10,
    `${MAX_CONCURRENT_EXPORTS} exports are already running on this database server. Wait until one finishes or cancel its download, and try again.`
  )
}
