import { conflict, notFound, AppError } from '#core/app_error'
import type { BackupCopyDestinationKey, BackupCopyDestinationProvider } from '#databases/public'
import type { VaultInfo } from '#packages/vault-service/control/contract'
import { vaultServiceUnavailable, SERVICE_DOWN_MESSAGE } from '#vault/errors'
import Vault from '#vault/models/vault'
import { callVaultService } from '#vault/call_vault_service'
import { assertVaultUsable, vaultProblem } from '#vault/states/vault'
import env from '#start/env'

const PUBLIC_VAULT_MESSAGE =
  'This vault is public: anyone with the address of a backup could read it. Make the vault private first.'
const READ_ONLY_VAULT_MESSAGE = 'Your account is suspended, so nothing can be stored in this vault.'
const VAULT_DELETED_MESSAGE = 'The vault with this backup was deleted.'
/** Validity of a transfer link. The transfer must start before, but may end later. */
const TRANSFER_LINK_SECONDS = 600

export const vaultBackupCopyDestinationProvider: BackupCopyDestinationProvider = {
  async places(accountId) {
    const vaults = await Vault.live().where({ accountId }).orderBy('name')
    const infos = await infosOf(vaults)
    return vaults.map((vault) => ({
      id: vault.id,
      name: vault.name,
      problem: copyDestinationProblem(vault, infos.get(vault.id)),
    }))
  },

  async upload(at, name, size) {
    const vault = await findVaultForCopies(at)
    if (!vault) throw notFound('vault')
    const problem = copyDestinationProblem(vault, (await infosOf([vault])).get(vault.id))
    if (problem) throw conflict(problem)
    const request = { id: vault.id, name, expiresIn: TRANSFER_LINK_SECONDS, upload: { size } }
    return address((await callVaultService('link', request)).path)
  },

  async download(at, name) {
    const vault = await findVaultForCopies(at)
    if (!vault) throw conflict(VAULT_DELETED_MESSAGE)
    assertVaultUsable(vault)
    return address(
      (await callVaultService('link', { id: vault.id, name, expiresIn: TRANSFER_LINK_SECONDS }))
        .path
    )
  },

  async remove(at, names) {
    const vault = await findVaultForCopies(at)
    if (vault) await callVaultService('removeFiles', { id: vault.id, names })
  },
}

/** Null if the vault is deleted or belongs to another account. */
function findVaultForCopies({
  accountId,
  destinationId,
}: BackupCopyDestinationKey): Promise<Vault | null> {
  return Vault.live().where({ accountId, id: destinationId }).first()
}

/** Loads the service's data of the vaults, by vault id. Returns an empty map if the service is unavailable. */
async function infosOf(vaults: Vault[]): Promise<Map<number, VaultInfo>> {
  if (vaults.length === 0) return new Map()
  try {
    const infos = await callVaultService('vaults', { ids: vaults.map(({ id }) => id) })
    return new Map(infos.map((info) => [info.id, info]))
  } catch (error) {
    if (error instanceof AppError) return new Map()
    throw error
  }
}

function copyDestinationProblem(vault: Vault, info: VaultInfo | undefined): string | null {
  const reason = vaultProblem(vault)
  if (reason) return reason
  if (!info) return SERVICE_DOWN_MESSAGE
  if (info.state === 'read_only') return READ_ONLY_VAULT_MESSAGE
  return info.isPrivate ? null : PUBLIC_VAULT_MESSAGE
}

/** Returns an internal URL, so that Berth's own transfers do not use the public network. */
function address(path: string): string {
  const url = env.get('VAULT_CONTROL_URL')
  if (!url) throw vaultServiceUnavailable()
  return new URL(path, url).href
}
