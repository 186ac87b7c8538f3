import { type Requester, withLockedVault } from '#vault/actions/change_vault'
import type Vault from '#vault/models/vault'
import { callVaultService } from '#vault/call_vault_service'
import type { BodyStorageName } from '#packages/vault-service/types'

/**
 * Stores new objects in another store (storage backend) from now on. Existing objects move in the background, and stay
 * available meanwhile.
 * @throws 409 if the service has no such store
 */
export async function moveVaultToStore(
  vault: Vault,
  store: BodyStorageName,
  by: Requester
): Promise<void> {
  const move = async (locked: Vault) => {
    await callVaultService('changeVault', { id: locked.id, store })
    locked.merge({ store, toMove: locked.store === store ? locked.toMove : locked.objects })
  }
  await withLockedVault(vault, 'vault.move', by, move, { store })
}
