import { Account, type AccountResourceRow } from '#accounts/public'
import { accountIdOf, type AccountStatus, type Actor } from '#core/contracts/actor'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import Vault from '#vault/models/vault'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Includes deleted vaults. Customers have access to their own vaults, staff to all. */
export function vaultsVisibleTo(actor: Actor) {
  return reachable(Vault.query(), actor)
}

/** @throws 404 for unknown and deleted vaults, and the same error for those of other customers */
export async function getVault(actor: Actor, id: unknown): Promise<Vault> {
  const key = parseRecordId(id)
  const isId = key !== null && key < 2 ** 31
  const vault = isId ? await reachable(Vault.live(), actor).where('id', key).first() : null
  if (!vault) throw notFound('vault')
  return vault
}

function reachable(vaults: ReturnType<typeof Vault.live>, actor: Actor) {
  return actor.audience === 'staff' ? vaults : vaults.where('vaults.account_id', accountIdOf(actor))
}

export async function countVaultsOfAccount(
  accountId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const [row] = await Vault.live({ client: trx }).where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}

/** Bytes at the last synchronization. */
export async function sumVaultSizesOfAccount(accountId: number): Promise<number> {
  const [row] = await Vault.live().where({ accountId }).sum('bytes as total')
  return Number(row.$extras.total ?? 0)
}

export async function listVaultsOfAccount(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await Vault.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, name, status, key }) => ({
    id,
    name,
    status,
    href: `/admin/vault/list?search=${key}`,
  }))
}

/** Keyed by account id. */
export async function loadAccountStatusesOfVaults(
  vaults: Vault[]
): Promise<Map<number, AccountStatus>> {
  const ids = [...new Set(vaults.map(({ accountId }) => accountId))]
  const rows = ids.length ? await Account.query().whereIn('id', ids) : []
  return new Map(rows.map(({ id, status }) => [id, status]))
}
