import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { RepositoryAddress } from '#git/repository_address'
import { findDeployKey } from '#git/deploy_keys'
import { noDeployKey } from '#git/errors'
import { trustServer } from '#git/host_keys'
import { runGit } from '#git/machine/run'
import { type Credentials, cloneOperation, seal } from '#git/operations/clone'
import type { Folder } from '#git/folder'
import { cleanTextPath, joinPath } from '#guest/public'

export interface CloneRequest {
  repository: string
  /** Null over SSH. */
  credentials: Credentials | null
  /** Relative to the folder; empty, `.` and `/` are the folder itself. */
  directory: string
  /** The fingerprint of the server's key that a person confirmed. */
  hostKey?: string
}

export interface CloneStarted {
  operation: Operation
  /** The fingerprint of a server that is trusted from now on; null where that was so before. */
  trusted: string | null
}

/**
 * Starts to clone a repository into a folder that is empty or not there. Throws 409, 422, 503; over SSH 409
 * where a deploy key is missing or the server's key is to be confirmed (`trustServer`).
 */
export async function startClone(
  { instance, machine, path }: Folder,
  { repository, credentials, directory, hostKey }: CloneRequest
): Promise<CloneStarted> {
  const address = RepositoryAddress.ofLink(repository)
  const below = cleanTextPath(directory, 'directory')
  const target = below ? joinPath(path, below) : path
  if (address.ssh && !(await findDeployKey(instance, address.ssh))) throw noDeployKey()
  await address.settings()
  const trusted = address.ssh ? await trustServer(instance.accountId, address, hostKey) : null
  await runGit(machine, 'look', target, [address.ssh ? 'ssh' : 'https'])
  const input = {
    instanceId: instance.id,
    repository: address.url,
    target,
    credentials: !address.ssh && credentials ? seal(credentials) : null,
  }
  const operation = await startOperation(cloneOperation, input, {
    title: `Cloning ${address.title}`,
    accountId: instance.accountId,
    subject: { type: 'instance', id: instance.id },
  })
  return { operation, trusted }
}
