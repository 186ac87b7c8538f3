import { conflict } from '#core/refusal'
import { Account } from '#accounts/public'
import { type By, changing } from '#vault/actions/change_vault'
import type Vault from '#vault/models/vault'
import { stateFor } from '#vault/states/vault'
import { askVaults } from '#vault/service'

/** Nothing of it is served until it is resumed. Throws 409 where it is already suspended. */
export async function suspendVault(vault: Vault, reason: string, by: By): Promise<void> {
  const suspend = async (locked: Vault) => {
    if (locked.status !== 'active') throw conflict(`${locked.name} is already suspended.`)
    locked.merge({ status: 'suspended', statusReason: reason })
    await tellState(locked)
  }
  await changing(vault, 'vault.suspend', by, suspend, { reason })
}

/** Undoes just that: of a suspended account it stays read-only. */
export async function resumeVault(vault: Vault, by: By): Promise<void> {
  await changing(vault, 'vault.resume', by, async (locked) => {
    if (locked.status !== 'suspended') throw conflict(`${locked.name} is not suspended.`)
    locked.merge({ status: 'active', statusReason: null })
    await tellState(locked)
  })
}

async function tellState(vault: Vault): Promise<void> {
  const account = await Account.findOrFail(vault.accountId, { client: vault.$trx })
  await askVaults('changeVault', { id: vault.id, state: stateFor(vault, account.status) })
}
