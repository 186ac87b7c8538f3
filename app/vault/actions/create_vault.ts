import { lockAccountRow } from '#accounts/public'
import { audit } from '#core/audit/audit'
import { AppError } from '#core/app_error'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import { reserveId } from '#core/reserve_id'
import { nameTaken, tooManyVaults } from '#vault/errors'
import { MAX_VAULTS } from '#vault/limits'
import Vault from '#vault/models/vault'
import { countVaultsOfAccount } from '#vault/queries/vaults'
import { callVaultService } from '#vault/call_vault_service'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomInt } from 'node:crypto'

const FIRST_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz'
const KEY_CHARACTERS = `${FIRST_CHARACTERS}0123456789`
const KEY_LENGTH = 20

/**
 * Creates the vault at the service and then in the database. If the database fails, deletes the vault at the service
 * again. No transaction is open during the call of the service.
 * @param name 3 to 40 characters of `a-z 0-9 -`
 * @throws 409 if the account has reached its limit, 422 at `name` if it is taken, 503 if the service does not respond
 */
export async function createVault(actor: Actor, name: string, ip?: string): Promise<Vault> {
  const accountId = accountIdOf(actor)
  await assertCanCreate(accountId, name)
  const [id, key] = [await reserveId('vaults'), generateBucketName()]
  const { secret: secretKey } = await createAtService({ id, accountId, key })
  try {
    return await db.transaction(async (trx) => {
      await lockAccountRow(accountId, trx)
      await assertCanCreate(accountId, name, trx)
      const values = { id, accountId, name, key, secretKey, requestCount: {} }
      const vault = await Vault.create({ ...values, status: 'active' }, { client: trx })
      const subject = { type: 'vault' as const, id, label: name }
      await audit({ actor, accountId, action: 'vault.store', subject, ip }, trx)
      return vault
    })
  } catch (error) {
    // If only the response to the commit was lost, the vault exists in the database and must stay at the service.
    if (!(await Vault.find(id).catch(() => true))) deleteAtService(id)
    throw error
  }
}

async function createAtService(vault: { id: number; accountId: number; key: string }) {
  try {
    return await callVaultService('makeVault', vault)
  } catch (error) {
    // After a 503 the service may still have created the vault. After a 409, another vault has this id and must stay.
    if (error instanceof AppError && error.status === 503) deleteAtService(vault.id)
    throw error
  }
}

function deleteAtService(id: number): void {
  void callVaultService('changeVault', { id, state: 'deleted' }).catch(() => {})
}

/**
 * Checks the limit of vaults and the name. The result is certain only in a transaction that has locked the account's
 * row.
 */
async function assertCanCreate(
  accountId: number,
  name: string,
  trx?: TransactionClientContract
): Promise<void> {
  if ((await countVaultsOfAccount(accountId, trx)) >= MAX_VAULTS) throw tooManyVaults()
  if (await Vault.live({ client: trx }).where({ accountId, name }).first()) throw nameTaken()
}

/** Returns 20 characters of `a-z 0-9`, beginning with a letter. S3 allows such bucket names. */
export function generateBucketName(): string {
  const rest = Array.from(
    { length: KEY_LENGTH - 1 },
    () => KEY_CHARACTERS[randomInt(KEY_CHARACTERS.length)]
  )
  return FIRST_CHARACTERS[randomInt(FIRST_CHARACTERS.length)] + rest.join('')
}
