import { type Requester, withLockedVault } from '#vault/actions/change_vault'
import { confirmationMismatch } from '#vault/errors'
import type Vault from '#vault/models/vault'
import { callVaultService } from '#vault/call_vault_service'
import { DateTime } from 'luxon'

/**
 * The service deletes the vault's objects later, in the background.
 * @param typed the name that the person typed as confirmation
 * @throws 422 if it is not the exact name of the vault
 */
export async function deleteVault(vault: Vault, typed: unknown, by: Requester): Promise<void> {
  if (typed !== vault.name) throw confirmationMismatch()
  await withLockedVault(vault, 'vault.delete', by, async (locked) => {
    await callVaultService('changeVault', { id: locked.id, state: 'deleted' })
    locked.merge({ status: 'deleted', secretKey: null, deletedAt: DateTime.utc() })
  })
}
