import { findRegionalSettings } from '#core/settings/load_regional_settings'
import Vault from '#vault/models/vault'
import { loadAccountStatusesOfVaults } from '#vault/queries/vaults'
import { desiredVaultState } from '#vault/states/vault'
import { callVaultService } from '#vault/call_vault_service'
import type { VaultInfo } from '#packages/vault-service/control/contract'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

const VAULT_BATCH_SIZE = 200
/** For this number of days, the schedule sends a deletion again, in case the service missed it. */
const DELETION_RETRY_DAYS = 30

/** Applies the account's status to its vaults at the service. Only logs an error, because the schedule tries again. */
export async function syncVaultsOfAccount({ id: accountId }: { id: number }): Promise<void> {
  try {
    await syncVaults(await Vault.live().where({ accountId }))
  } catch (error) {
    logger.warn(
      { err: error, account: accountId },
      'vaults could not be updated after a change of their account'
    )
  }
}

async function sendUsagePrices(): Promise<void> {
  const { request, bandwidth, storage } = (await findRegionalSettings()).prices
  await callVaultService('setPrices', { request, bandwidthGb: bandwidth, storageGb: storage })
}

/** Synchronizes all vaults with the service, also recently deleted ones, and sends it the usage prices. */
export async function syncAllVaults(signal: AbortSignal): Promise<void> {
  const lately = DateTime.utc().minus({ days: DELETION_RETRY_DAYS }).toSQL()!
  for (let after = 0; !signal.aborted;) {
    const vaults = await Vault.query()
      .where('id', '>', after)
      .where((query) => {
        void query.whereIn('status', ['active', 'suspended']).orWhere('deletedAt', '>', lately)
      })
      .orderBy('id')
      .limit(VAULT_BATCH_SIZE)
    if (vaults.length === 0) return
    if (after === 0) await sendUsagePrices()
    await syncVaults(vaults)
    after = vaults.at(-1)!.id
  }
}

/** Sends the desired state of vaults to the service, and stores the sizes that it reports. */
async function syncVaults(vaults: Vault[]): Promise<void> {
  if (vaults.length === 0) return
  const ids = vaults.map(({ id }) => id)
  const [infos, counts, suspensions] = await Promise.all([
    callVaultService('vaults', { ids }),
    callVaultService('requestCounts', { ids }),
    loadAccountStatusesOfVaults(vaults),
  ])
  const known = new Map(infos.map((info) => [info.id, info]))
  for (const vault of vaults) {
    const info = known.get(vault.id)
    if (!info) continue
    const state = desiredVaultState(vault, suspensions.get(vault.accountId) ?? 'closed')
    if (info.state !== state) await callVaultService('changeVault', { id: vault.id, state })
    await saveVault(vault, info, counts[vault.id] ?? {})
  }
}

/** Saves only the reported values, so that other columns that were changed at the same time stay as they are. */
async function saveVault(
  vault: Vault,
  { bytes, objects, store, toMove, findings: damaged }: VaultInfo,
  requestCount: Record<string, number>
): Promise<void> {
  const asBefore =
    vault.bytes === bytes &&
    vault.objects === objects &&
    vault.store === store &&
    vault.toMove === toMove &&
    vault.damaged === damaged &&
    Object.entries(requestCount).every(([month, count]) => vault.requestCount[month] === count)
  if (asBefore) return
  await Vault.query()
    .where('id', vault.id)
    .update({
      bytes,
      objects,
      store,
      damaged,
      to_move: toMove,
      requestCount: JSON.stringify(requestCount),
    })
}
