import type { RepositoryAddress } from '#git/repository_address'
import { hostKeyUnknown, noDeployKey, tooManyKeys } from '#git/errors'
import { fingerprint, findPinnedKey } from '#git/host_keys'
import DeployKey from '#git/models/deploy_key'
import type { SshRemote } from '#git/ssh_remote'
import { generateKeyPair } from '#packages/machine/main'

/** Keys of one instance; nobody works with so many repositories. */
const MAX_DEPLOY_KEYS = 200

/** An instance, as keys know it. */
export interface DeployKeyOwner {
  id: number
  accountId: number
}

/** How git signs in to a server over SSH; the words of `machine/git_script.ts`. */
export interface SshCredentials {
  /** Nothing of it is secret. */
  env: Record<string, string>
  /** For standard input. */
  privateKey: string
  /** For words: the server, and what it has to show (`SHA256:…`). */
  server: { host: string; fingerprint: string }
}

/** The deploy key of an instance for a repository; null where there is none yet. */
export function findDeployKey(
  { id }: DeployKeyOwner,
  remote: SshRemote
): Promise<DeployKey | null> {
  return DeployKey.query().where({ serverInstanceId: id, remote: remote.name }).first()
}

/** The same, made where there is none. With `anew` another one takes its place. */
export async function ensureDeployKey(
  owner: DeployKeyOwner,
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

/** Keys go with their instance. */
export async function deleteDeployKeysOfInstance({ id }: { id: number }): Promise<void> {
  await DeployKey.query().where('serverInstanceId', id).delete()
}

/**
 * How an instance signs in to a repository, at the address that was checked. Null where it has no deploy key
 * for it. Throws 409 where the account does not trust the server.
 */
export async function loadSshCredentials(
  owner: DeployKeyOwner,
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
    server: { host: remote.host, fingerprint: fingerprint(pinned) },
  }
}

/** As `loadSshCredentials`, for work that cannot go on without a key. */
export async function requireSshCredentials(
  owner: DeployKeyOwner,
  address: RepositoryAddress
): Promise<SshCredentials> {
  const access = await loadSshCredentials(owner, address)
  if (!access) throw noDeployKey()
  return access
}
