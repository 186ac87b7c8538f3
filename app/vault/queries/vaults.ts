import { Account, type AccountResourceRow } from '#accounts/public'
import { accountIdOf, type AccountStatus, type Actor } from '#core/contracts/actor'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import Vault from '#vault/models/vault'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** The vaults that a person may reach: customers their account's, staff all; deleted ones too. */
export function vaultsVisibleTo(actor: Actor) {
  return reachable(Vault.query(), actor)
}

/** The vault, or the same 404 for unknown, deleted and other people's. */
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

/** How many vaults an account has. */
export async function countVaultsOfAccount(
  accountId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const [row] = await Vault.live({ client: trx }).where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}

/** Bytes in all vaults of an account, as the service told them last. */
export async function sumVaultSizesOfAccount(accountId: number): Promise<number> {
  const [row] = await Vault.live().where({ accountId }).sum('bytes as total')
  return Number(row.$extras.total ?? 0)
}

/** The vaults of an account, newest first, for staff's page of it. */
export async function listVaultsOfAccount(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await Vault.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, name, status, key }) => ({
    id,
    name,
    status,
    href: `/admin/vault/list?search=${key}`,
  }))
}

/** How the accounts of these vaults stand. */
export async function loadAccountStatusesOfVaults(
  vaults: Vault[]
): Promise<Map<number, AccountStatus>> {
  const ids = [...new Set(vaults.map(({ accountId }) => accountId))]
  const rows = ids.length ? await Account.query().whereIn('id', ids) : []
  return new Map(rows.map(({ id, status }) => [id, status]))
}
