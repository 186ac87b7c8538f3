import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { RepositoryAddress } from '#git/repository_address'
import { findDeployKey } from '#git/deploy_keys'
import { noDeployKey } from '#git/errors'
import { ensureHostKeyTrusted } from '#git/host_keys'
import { runGit } from '#git/machine/run_git'
import { type HttpsCredentials, cloneOperation, encryptCredentials } from '#git/operations/clone'
import type { InstanceFolder } from '#git/instance_folder'
import { parseTextWebPath, joinPath } from '#guest/public'

export interface CloneRequest {
  repository: string
  /** Null over SSH. */
  credentials: HttpsCredentials | null
  /** Relative to the folder; empty, `.` and `/` are the folder itself. */
  directory: string
  /** The fingerprint of the server's key that a person confirmed. */
  hostKey?: string
}

export interface StartedClone {
  operation: Operation
  /** The fingerprint of a server that is trusted from now on; null where that was so before. */
  trusted: string | null
}

/**
 * Starts to clone a repository into a folder that is empty or not there. Throws 409, 422, 503; over SSH 409
 * where a deploy key is missing or the server's key is to be confirmed (`ensureHostKeyTrusted`).
 */
export async function startClone(
  { instance, machine, path }: InstanceFolder,
  { repository, credentials, directory, hostKey }: CloneRequest
): Promise<StartedClone> {
  const address = RepositoryAddress.ofLink(repository)
  const below = parseTextWebPath(directory, 'directory')
  const target = below ? joinPath(path, below) : path
  if (address.ssh && !(await findDeployKey(instance, address.ssh))) throw noDeployKey()
  await address.settings()
  const trusted = address.ssh
    ? await ensureHostKeyTrusted(instance.accountId, address, hostKey)
    : null
  await runGit(machine, 'look', target, [address.ssh ? 'ssh' : 'https'])
  const input = {
    instanceId: instance.id,
    repository: address.url,
    target,
    credentials: !address.ssh && credentials ? encryptCredentials(credentials) : null,
  }
  const operation = await startOperation(cloneOperation, input, {
    title: `Cloning ${address.title}`,
    accountId: instance.accountId,
    subject: { type: 'instance', id: instance.id },
  })
  return { operation, trusted }
}
