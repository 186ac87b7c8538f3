import { conflict } from '#core/app_error'
import { Account } from '#accounts/public'
import { type Requester, withLockedVault } from '#vault/actions/change_vault'
import type Vault from '#vault/models/vault'
import { desiredVaultState } from '#vault/states/vault'
import { callVaultService } from '#vault/call_vault_service'

/** @throws 409 if the vault is already suspended */
export async function suspendVault(vault: Vault, reason: string, by: Requester): Promise<void> {
  const suspend = async (locked: Vault) => {
    if (locked.status !== 'active') throw conflict(`${locked.name} is already suspended.`)
    locked.merge({ status: 'suspended', statusReason: reason })
    await syncVaultState(locked)
  }
  await withLockedVault(vault, 'vault.suspend', by, suspend, { reason })
}

/** Ends a suspension of a vault by staff. If the vault's account is not active, the vault becomes read-only. */
export async function resumeVault(vault: Vault, by: Requester): Promise<void> {
  await withLockedVault(vault, 'vault.resume', by, async (locked) => {
    if (locked.status !== 'suspended') throw conflict(`${locked.name} is not suspended.`)
    locked.merge({ status: 'active', statusReason: null })
    await syncVaultState(locked)
  })
}

async function syncVaultState(vault: Vault): Promise<void> {
  const account = await Account.findOrFail(vault.accountId)
  await callVaultService('changeVault', {
    id: vault.id,
    state: desiredVaultState(vault, account.status),
  })
}
