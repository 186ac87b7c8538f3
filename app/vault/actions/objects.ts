import { type Requester, auditVault } from '#vault/actions/change_vault'
import { fileTooLarge, objectExists } from '#vault/errors'
import { MAX_UPLOAD_BYTES } from '#vault/limits'
import type Vault from '#vault/models/vault'
import { callVaultService } from '#vault/call_vault_service'

/** Validity of an upload link. The upload must start before, but may end later. */
const UPLOAD_LINK_SECONDS = 3_600

export const joinObjectName = (path: string, name: string) => (path ? `${path}/${name}` : name)

export async function createFolder(vault: Vault, path: string, by: Requester): Promise<void> {
  await callVaultService('makeFolder', { id: vault.id, path })
  await auditVault(vault, 'vault.folder_store', by, { path })
}

export async function deleteFolder(vault: Vault, path: string, by: Requester): Promise<number> {
  const { removed } = await callVaultService('removeFolder', { id: vault.id, path })
  await auditVault(vault, 'vault.object_delete', by, { folder: path, removed })
  return removed
}

/** Returns the number of files that existed. */
export async function deleteFiles(vault: Vault, names: string[], by: Requester): Promise<number> {
  const { removed } = await callVaultService('removeFiles', { id: vault.id, names })
  await auditVault(vault, 'vault.object_delete', by, {
    files: removed.slice(0, 20),
    removed: removed.length,
  })
  return removed.length
}

interface File {
  /** Full name of the object, including folders. */
  name: string
  /** Size in bytes. */
  size: number
  overwrite: boolean
}

/**
 * Returns the path and query of a URL to which a browser can upload the file.
 * @throws 409 `exists` if the name is taken and `overwrite` is false; 413 above 500 MB
 */
export async function createUploadLink(
  vault: Vault,
  { name, size, overwrite }: File
): Promise<string> {
  if (size > MAX_UPLOAD_BYTES) throw fileTooLarge()
  if (!overwrite && (await isThere(vault, name))) throw objectExists(name)
  const request = { id: vault.id, name, expiresIn: UPLOAD_LINK_SECONDS, upload: { size } }
  return (await callVaultService('link', request)).path
}

async function isThere({ id }: Vault, name: string): Promise<boolean> {
  const at = name.lastIndexOf('/')
  const path = at < 0 ? '' : name.slice(0, at)
  const search = name.slice(at + 1)
  const { files } = await callVaultService('list', { id, path, search, limit: 2 })
  return files.some((file) => file.name === name)
}
