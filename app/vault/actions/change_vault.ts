import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'
import { withLock } from '#core/locks'
import { isBackupDestinationInUse } from '#databases/public'
import Vault from '#vault/models/vault'
import type { ControlInput } from '#packages/vault-service/control/contract'
import { vaultHoldsDatabaseBackups } from '#vault/errors'
import { callVaultService } from '#vault/call_vault_service'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface Requester {
  actor: Actor
  ip?: string
}

/**
 * Locks the vault and runs `run`, which changes the vault at the service. Then saves the row and the audit entry. No
 * transaction is open during `run`. If the service rejects the change, the row stays unchanged.
 */
export async function withLockedVault<Result>(
  { id }: Pick<Vault, 'id'>,
  action: string,
  { actor, ip }: Requester,
  run: (vault: Vault) => Promise<Result>,
  after?: Record<string, unknown>
): Promise<Result> {
  return withLock(`vault:${id}`, async (lock) => {
    const vault = await Vault.live().where('id', id).first()
    if (!vault) throw notFound('vault')
    const result = await run(vault)
    await db.transaction(async (trx) => {
      // Processes of the previous release do not take this lock, but only lock the row. One of them may have deleted
      // the vault meanwhile.
      const present = await Vault.live({ client: trx }).where({ id }).forUpdate().first()
      if (!present) throw notFound('vault')
      await vault.useTransaction(trx).save()
      await auditVault(vault, action, { actor, ip }, after, trx)
      await lock.assertHeld(trx)
    })
    return result
  })
}

export async function auditVault(
  { id, accountId, name }: Vault,
  action: string,
  { actor, ip }: Requester,
  after?: Record<string, unknown>,
  trx?: TransactionClientContract
): Promise<void> {
  const subject = { type: 'vault' as const, id, label: name }
  await audit({ actor, accountId, action, subject, after, ip }, trx)
}

type Settings = Pick<ControlInput<'changeVault'>, 'isPrivate' | 'cors' | 'monthlyLimit'>

/** @throws 409 if database backups in the vault would become public */
export async function changeVaultSettings(
  vault: Vault,
  settings: Settings,
  by: Requester
): Promise<void> {
  if (settings.isPrivate === false && (await isBackupDestinationInUse(vault.id)))
    throw vaultHoldsDatabaseBackups()
  const ask = ({ id }: Vault) => callVaultService('changeVault', { id, ...settings })
  await withLockedVault(vault, 'vault.update', by, ask, { ...settings })
}

export async function revokeSharedLinks(vault: Vault, by: Requester): Promise<void> {
  await withLockedVault(vault, 'vault.end_links', by, ({ id }) =>
    callVaultService('changeVault', { id, endLinks: true })
  )
}
