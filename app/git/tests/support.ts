import type { ServerInstance } from '#instances/public'
import { makeInstanceAt } from '#guest/tests/instances'
import { git, UNPRIVILEGED_USER } from '#git/tests/git_server'
import { connectSsh, type Machine, type SshTarget } from '#packages/machine/main'
import { startWebRootMachine } from '#tests/support/web_root_machine'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import type { Person } from '#identity/public'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A machine behind a real SSH server. Its web root is a temporary folder. */
export interface GitTestMachine {
  root: string
  machine: Machine
  target: SshTarget
  outside: string
  end(): Promise<void>
}

export async function startGitTestMachine(): Promise<GitTestMachine> {
  // SHLVL=2 makes Bash believe that it is a nested shell. It then skips the start-up files of the user
  // who runs the tests.
  const { sshd, root, outside, stop } = await startWebRootMachine(['SetEnv SHLVL=2'])
  for (const folder of [root, outside])
    await chown(folder, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
  const machine = await connectSsh(sshd.target)
  return {
    root,
    outside,
    machine,
    target: sshd.target,
    end: async () => {
      await machine.close()
      await stop()
    },
  }
}

export async function newRepository(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await chown(folder, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
  await git(folder, 'init', '-q', '-b', 'main')
  await commit(folder, 'readme.txt', 'one\n')
  return folder
}

export async function commit(folder: string, name: string, text: string): Promise<void> {
  await put(folder, name, text)
  await git(folder, 'add', '--', name)
  await git(folder, 'commit', '-q', '-m', `Write ${name}`)
}

/** Writes a file that the unprivileged user owns. */
export async function put(folder: string, name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text)
  await chown(join(folder, name), UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
}

/** Creates a bare clone, as on a git server. */
export async function publish(from: string, to: string): Promise<string> {
  await git(from, 'clone', '-q', '--bare', '.', to)
  return to
}

/** Creates a signed-in customer whose default instance is on the test machine. */
export async function newOwner(
  ground: GitTestMachine
): Promise<{ person: Person; browser: Visitor; instance: ServerInstance }> {
  const person = await makeCustomer()
  const instance = await makeInstanceAt(person, ground.target)
  await db
    .from('members')
    .where('person_id', person.id)
    .update({ default_instance_id: instance.id })
  return { person, browser: await signIn(person), instance }
}
