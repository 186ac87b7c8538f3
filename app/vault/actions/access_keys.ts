import { invalid, notFound } from '#core/app_error'
import { type Requester, withLockedVault } from '#vault/actions/change_vault'
import type Vault from '#vault/models/vault'
import { callVaultService } from '#vault/call_vault_service'
import type { KeyEntry } from '#packages/vault-service/control/contract'

/**
 * Maximum number of access keys per vault. The vault's own secret does not count, and neither do replaced keys, which
 * expire within a day.
 */
const MAX_KEYS = 20

/** The old secret stays valid for `overlap` seconds. */
export async function rotateVaultSecret(
  vault: Vault,
  overlap: number,
  by: Requester
): Promise<string> {
  const rotate = async (locked: Vault) => {
    const own = (await callVaultService('keys', { id: locked.id })).find(isOwn)
    if (!own) throw notFound('key')
    const request = { id: locked.id, keyId: own.id, overlap }
    const { secret } = await callVaultService('rotateKey', request)
    locked.merge({ secretKey: secret })
    return secret
  }
  return withLockedVault(vault, 'vault.rotate', by, rotate, { overlap })
}

const isOwn = ({ accessKeyId, expiresAt }: KeyEntry) => accessKeyId === null && expiresAt === null

export interface NewAccessKey {
  accessKeyId: string
  secret: string
}

export async function createAccessKey(
  vault: Vault,
  key: { name: string; readOnly: boolean },
  by: Requester
): Promise<NewAccessKey> {
  const make = async ({ id }: Vault) => {
    const keys = await callVaultService('keys', { id })
    const current = keys.filter((key) => key.accessKeyId !== null && key.expiresAt === null)
    if (current.length >= MAX_KEYS) {
      throw invalid({
        name: `A vault can have at most ${MAX_KEYS} access keys. Remove one that is no longer needed.`,
      })
    }
    return callVaultService('makeKey', { id, ...key })
  }
  return withLockedVault(vault, 'vault.key_store', by, make, { ...key })
}

/** The old key stays valid for `overlap` seconds. */
export async function rotateAccessKey(
  vault: Vault,
  keyId: number,
  overlap: number,
  by: Requester
): Promise<NewAccessKey> {
  const rotate = async ({ id }: Vault) => {
    const { name } = await findKey(id, keyId)
    const newKey = await callVaultService('rotateKey', { id, keyId, overlap })
    return { name, accessKeyId: newKey.accessKeyId!, secret: newKey.secret }
  }
  return withLockedVault(vault, 'vault.key_rotate', by, rotate, { key: keyId, overlap })
}

export async function removeAccessKey(vault: Vault, keyId: number, by: Requester): Promise<void> {
  const remove = async ({ id }: Vault) => {
    await findKey(id, keyId)
    await callVaultService('removeKey', { id, keyId })
  }
  await withLockedVault(vault, 'vault.key_remove', by, remove, { key: keyId })
}

/**
 * The vault's own secret does not count as an access key.
 * @throws 404
 */
async function findKey(id: number, keyId: number): Promise<KeyEntry> {
  const key = (await callVaultService('keys', { id })).find((one) => one.id === keyId)
  if (!key || key.accessKeyId === null) throw notFound('key')
  return key
}
