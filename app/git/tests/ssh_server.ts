import { startSshd } from '#packages/machine/tests/sshd'
import { fingerprintOf } from '#packages/machine/main'
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A git server over SSH on this machine, with deploy keys and `git-upload-pack` as on public
 * servers.
 */
export interface SshGitServer {
  port: number
  folder: string
  /** The host key's fingerprint as pages show it: `SHA256:…`. */
  fingerprint: string
  link(name: string): string
  /** Publishes a copy of a repository. Replaces an earlier repository with that name. */
  publish(from: string, name: string): Promise<void>
  /** Accepts these public keys, and no longer the earlier ones. */
  admit(...publicKeys: string[]): Promise<void>
  /**
   * Returns records of the last git request: all processes with their environments, and the key
   * files that Berth's script had written.
   */
  seen(): Promise<string>
  /** With true, makes all git requests wait. With false, lets them continue. */
  hold(held: boolean): Promise<void>
  stop(): Promise<void>
}

export async function startSshGitServer(): Promise<SshGitServer> {
  const home = await mkdtemp(join(tmpdir(), 'berth-git-ssh-'))
  await chmod(home, 0o755)
  const [keys, seen, look, held, folder] = ['keys', 'seen', 'look', 'held', 'repositories'].map(
    (name) => join(home, name)
  )
  await mkdir(folder)
  await writeFile(keys, '')
  await writeFile(
    look,
    `#!/bin/sh\n{ ps axwwe; cat /tmp/berth-key.*/*; } > ${seen}\nwhile [ -e ${held} ]; do sleep 0.1; done\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n`
  )
  await chmod(look, 0o755)
  const sshd = await startSshd([
    'SetEnv SHLVL=2',
    'Match all',
    `AuthorizedKeysFile ${keys}`,
    `ForceCommand ${look}`,
  ])
  const { port, hostKey } = sshd.target
  return {
    port: port!,
    folder,
    fingerprint: fingerprintOf(Buffer.from(hostKey!.split(' ')[1], 'base64')),
    link: (name) => `ssh://root@localhost:${port}${folder}/${name}.git`,
    publish: async (from, name) => {
      const bare = join(folder, `${name}.git`)
      await rm(bare, { recursive: true, force: true })
      await cp(join(from, '.git'), bare, { recursive: true })
      await run('chown', ['-R', '0:0', bare])
    },
    admit: (...admitted) => writeFile(keys, admitted.map((key) => `${key}\n`).join('')),
    hold: (yes) => (yes ? writeFile(held, '') : rm(held, { force: true })),
    seen: () => readFile(seen, 'utf8'),
    stop: async () => {
      await sshd.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
