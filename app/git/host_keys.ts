import type { RepositoryAddress } from '#git/repository_address'
import { hostKeyChanged, hostKeyUnknown, noSshServer } from '#git/errors'
import GitHostKey from '#git/models/git_host_key'
import type { SshRemote } from '#git/ssh_remote'
import { fingerprintOf, type HostKey, scanHostKey } from '#packages/machine/main'

/** A trusted server key: its type and its base64 text, as in known_hosts. */
export type PinnedKey = Pick<HostKey, 'type' | 'key'>

/**
 * Keys of well-known servers on port 22. Users cannot confirm other keys for them. Sources: docs.github.com
 * "GitHub's SSH key fingerprints", docs.gitlab.com "GitLab.com settings", bitbucket.org/site/ssh, and
 * docs.codeberg.org "Verifying you're connected to Codeberg using SSH fingerprints".
 */
const wellKnown: Record<string, string> = {
  'github.com': 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
  'gitlab.com': 'AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf',
  'bitbucket.org': 'AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO',
  'codeberg.org': 'AAAAC3NzaC1lZDI1NTE5AAAAIIVIC02vnjFyL+I4RHfvIGNtOgJMe769VTF1VR4EB3ZB',
}

/** Returns the fingerprint in the form `SHA256:…`. */
export function sshKeyFingerprint({ key }: PinnedKey): string {
  return fingerprintOf(Buffer.from(key, 'base64'))
}

function wellKnownKey({ host, port }: SshRemote): PinnedKey | null {
  const key = port === 22 && Object.hasOwn(wellKnown, host) ? wellKnown[host] : null
  return key ? { type: 'ssh-ed25519', key } : null
}

function storedKey(accountId: number, { host, port }: SshRemote): Promise<GitHostKey | null> {
  return GitHostKey.query().where({ accountId, host, port }).first()
}

/**
 * Returns null if the server is not a well-known one and no member of the account has confirmed its
 * key.
 */
export async function findPinnedKey(
  accountId: number,
  remote: SshRemote
): Promise<PinnedKey | null> {
  return wellKnownKey(remote) ?? (await storedKey(accountId, remote))
}

/**
 * Checks that the account trusts the server's key. Stores a key that the user has confirmed.
 * @param confirmed the fingerprint that the user confirmed
 * @returns the fingerprint if this call made the account trust the key, otherwise null
 * @throws 409 with the server's fingerprint at `host_key`, if the key is new or has changed and the
 *   user has not confirmed it
 */
export async function ensureHostKeyTrusted(
  accountId: number,
  address: RepositoryAddress,
  confirmed?: string
): Promise<string | null> {
  const remote = address.ssh!
  const { host, port } = remote
  const server = await address.sshAddress()
  if (wellKnownKey(remote)) return null
  const stored = await storedKey(accountId, remote)
  const offered = await scanHostKey({ host: server, port }).catch(() => {
    throw noSshServer(host, port)
  })
  if (stored?.key === offered.key) return null
  if (confirmed !== offered.fingerprint) {
    throw stored
      ? hostKeyChanged(host, sshKeyFingerprint(stored), offered.fingerprint)
      : hostKeyUnknown(host, offered.fingerprint)
  }
  const { type, key } = offered
  await GitHostKey.updateOrCreate({ accountId, host, port }, { type, key })
  return offered.fingerprint
}
