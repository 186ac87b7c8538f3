import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { RepositoryAddress } from '#git/repository_address'
import { findDeployKey } from '#git/deploy_keys'
import { noDeployKey } from '#git/errors'
import { ensureHostKeyTrusted } from '#git/host_keys'
import { runGit, starterPageVariables } from '#git/machine/run_git'
import { type HttpsCredentials, cloneOperation, encryptCredentials } from '#git/operations/clone'
import type { InstanceFolder } from '#git/instance_folder'
import { parseTextPathInWebRoot, joinPath } from '#guest/public'

export interface CloneRequest {
  repository: string
  /** `null` for SSH addresses, which use a deploy key, and for public repositories. */
  credentials: HttpsCredentials | null
  /**
   * Path of the clone, relative to the folder in which the user is. Empty, `.` and `/`: that folder
   * itself.
   */
  directory: string
  /** Fingerprint of the server's key, if the user has confirmed it. */
  hostKey?: string
}

export interface StartedClone {
  operation: Operation
  /** Fingerprint of the server's key, if this request made the account trust it. */
  trusted: string | null
}

/**
 * Starts a clone. Its folder must be missing, empty, or contain only an unchanged starter page.
 * @throws 404, 409, 422 or 503. Over SSH, 409 without a deploy key, or if the user must confirm the
 *   server's key (`ensureHostKeyTrusted`).
 */
export async function startClone(
  { instance, machine, path }: InstanceFolder,
  { repository, credentials, directory, hostKey }: CloneRequest
): Promise<StartedClone> {
  const address = RepositoryAddress.ofLink(repository)
  const below = parseTextPathInWebRoot(directory, 'directory')
  const target = below ? joinPath(path, below) : path
  if (address.ssh && !(await findDeployKey(instance, address.ssh))) throw noDeployKey()
  await address.settings()
  const trusted = address.ssh
    ? await ensureHostKeyTrusted(instance.accountId, address, hostKey)
    : null
  const env = await starterPageVariables(machine, target)
  await runGit(machine, 'look', target, [address.ssh ? 'ssh' : 'https'], { env })
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
