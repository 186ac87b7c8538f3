import { type Requester, withLockedVault } from '#vault/actions/change_vault'
import { confirmationMismatch } from '#vault/errors'
import type Vault from '#vault/models/vault'
import { callVaultService } from '#vault/call_vault_service'
import { DateTime } from 'luxon'

/**
 * Deletes a vault with all that is in it; the service empties it by and by.
 * @param typed its name, exactly; 422 otherwise
 */
export async function deleteVault(vault: Vault, typed: unknown, by: Requester): Promise<void> {
  if (typed !== vault.name) throw confirmationMismatch()
  await withLockedVault(vault, 'vault.delete', by, async (locked) => {
    await callVaultService('changeVault', { id: locked.id, state: 'deleted' })
    locked.merge({ status: 'deleted', secretKey: null, deletedAt: DateTime.utc() })
  })
}
