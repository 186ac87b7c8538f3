import type { RepositoryAddress } from '#git/repository_address'
import { hostKeyUnknown, noDeployKey, tooManyKeys } from '#git/errors'
import { sshKeyFingerprint, findPinnedKey } from '#git/host_keys'
import DeployKey from '#git/models/deploy_key'
import type { SshRemote } from '#git/ssh_remote'
import { generateKeyPair } from '#packages/machine/main'

/** Per instance. Far above normal use. */
const MAX_DEPLOY_KEYS = 200

export interface DeployKeyInstance {
  id: number
  accountId: number
}

/** Sign-in data for a git server over SSH, in the form that `machine/git.sh` expects. */
export interface SshCredentials {
  /** Environment variables without secrets. */
  env: Record<string, string>
  /** Sent to the script's standard input, so that no process list shows it. */
  privateKey: string
  /** The server, for error messages. The fingerprint has the form `SHA256:…`. */
  server: { host: string; fingerprint: string }
}

export function findDeployKey(
  { id }: DeployKeyInstance,
  remote: SshRemote
): Promise<DeployKey | null> {
  return DeployKey.query().where({ serverInstanceId: id, remote: remote.name }).first()
}

/**
 * Creates a missing key. With `anew`, also replaces an existing key.
 * @throws 409 if the instance already has the maximum number of deploy keys
 */
export async function ensureDeployKey(
  owner: DeployKeyInstance,
  remote: SshRemote,
  anew: boolean
): Promise<{ key: DeployKey; isNew: boolean }> {
  const known = await findDeployKey(owner, remote)
  if (known && !anew) return { key: known, isNew: false }
  const ofInstance = { serverInstanceId: owner.id }
  if (!known) {
    const [{ $extras }] = await DeployKey.query().where(ofInstance).count('* as count')
    if (Number($extras.count) >= MAX_DEPLOY_KEYS) throw tooManyKeys(MAX_DEPLOY_KEYS)
  }
  const { publicKey, privateKey } = generateKeyPair(`berth-${remote.host}`)
  const key = known ?? new DeployKey().merge({ ...ofInstance, remote: remote.name })
  return { key: await key.merge({ publicKey, privateKey }).save(), isNew: true }
}

export async function deleteDeployKeysOfInstance({ id }: { id: number }): Promise<void> {
  await DeployKey.query().where('serverInstanceId', id).delete()
}

/**
 * Returns null if the instance has no deploy key for the repository.
 * @throws 409 if the account does not trust the server
 */
export async function loadSshCredentials(
  owner: DeployKeyInstance,
  address: RepositoryAddress
): Promise<SshCredentials | null> {
  const remote = address.ssh
  const key = remote && (await findDeployKey(owner, remote))
  if (!key) return null
  const server = await address.sshAddress()
  const pinned = await findPinnedKey(owner.accountId, remote)
  if (!pinned) throw hostKeyUnknown(remote.host)
  const { type } = pinned
  return {
    env: {
      BERTH_SSH_ADDRESS: server,
      BERTH_SSH_HOST: remote.host,
      BERTH_SSH_HOST_KEY: `${type} ${pinned.key}`,
      BERTH_SSH_ALGORITHMS: type === 'ssh-rsa' ? 'rsa-sha2-512,rsa-sha2-256' : type,
      BERTH_SSH_KEY: key.publicKey,
    },
    privateKey: key.privateKey,
    server: { host: remote.host, fingerprint: sshKeyFingerprint(pinned) },
  }
}

/** Like `loadSshCredentials`, but also throws if there is no deploy key. */
export async function requireSshCredentials(
  owner: DeployKeyInstance,
  address: RepositoryAddress
): Promise<SshCredentials> {
  const access = await loadSshCredentials(owner, address)
  if (!access) throw noDeployKey()
  return access
}
