import { lockAccountRow } from '#accounts/public'
import { audit } from '#core/audit/audit'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import { nameTaken, tooManyVaults } from '#vault/errors'
import { MAX_VAULTS } from '#vault/limits'
import Vault from '#vault/models/vault'
import { countVaultsOfAccount } from '#vault/queries/vaults'
import { callVaultService } from '#vault/call_vault_service'
import db from '@adonisjs/lucid/services/db'
import { randomInt } from 'node:crypto'

const FIRST_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz'
const KEY_CHARACTERS = `${FIRST_CHARACTERS}0123456789`
const KEY_LENGTH = 20

/**
 * Makes a vault, here and at the service, or not at all.
 * @param name 3 to 40 of `a-z 0-9 -`
 * @throws refusal 409 where the account has as many as it can, 422 at `name`, 503 where the service does not answer
 */
export async function createVault(actor: Actor, name: string, ip?: string): Promise<Vault> {
  const accountId = accountIdOf(actor)
  return db.transaction(async (trx) => {
    await lockAccountRow(accountId, trx)
    if ((await countVaultsOfAccount(accountId, trx)) >= MAX_VAULTS) throw tooManyVaults()
    if (await Vault.live({ client: trx }).where({ accountId, name }).first()) throw nameTaken()
    const values = { accountId, name, status: 'active', requestCount: {} } as const
    const vault = await Vault.create({ ...values, key: generateBucketName() }, { client: trx })
    const { id, key } = vault
    const { secret } = await createAtService({ id, accountId, key })
    await vault.merge({ secretKey: secret }).save()
    await audit(
      { actor, accountId, action: 'vault.store', subject: { type: 'vault', id, label: name }, ip },
      trx
    )
    return vault
  })
}

/** What is made there without being made here must not stay: an answer that comes too late says nothing of what was done. */
async function createAtService(vault: { id: number; accountId: number; key: string }) {
  try {
    return await callVaultService('makeVault', vault)
  } catch (error) {
    void callVaultService('changeVault', { id: vault.id, state: 'deleted' }).catch(() => {})
    throw error
  }
}

/** 20 of `a-z 0-9`, beginning with a letter, as S3 wants names of buckets. */
export function generateBucketName(): string {
  const rest = Array.from(
    { length: KEY_LENGTH - 1 },
    () => KEY_CHARACTERS[randomInt(KEY_CHARACTERS.length)]
  )
  return FIRST_CHARACTERS[randomInt(FIRST_CHARACTERS.length)] + rest.join('')
}
