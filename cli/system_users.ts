import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './berth_home.js'
import { installAptPackages } from './apt_packages.js'
import { runProgram } from './run_program.js'

export interface SystemUser {
  uid: number
  gid: number
}

/** Finds a user in /etc/passwd. That is much faster than running `id`. */
export function findSystemUser(name: string): SystemUser | undefined {
  const [, uid, gid] = entryOf('/etc/passwd', name) ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}

/**
 * Returns the fields of an entry in /etc/passwd or /etc/group, without the name. Undefined if there is no such entry.
 */
function entryOf(file: string, name: string): string[] | undefined {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':')
    .slice(1)
}

/**
 * Creates a system user with a group of the same name, without a home and without a shell. Does nothing if the user
 * exists. Needs root.
 * @throws CliError if it cannot be created
 */
export async function ensureSystemUser(name: string): Promise<SystemUser> {
  return ensure(name, 'useradd', () => findSystemUser(name), [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir=/nonexistent',
    '--shell=/usr/sbin/nologin',
  ])
}

/** Creates a group and returns its ID. If the group exists, only returns the ID. Needs root. */
export function ensureSystemGroup(name: string): Promise<number> {
  const find = () => {
    const [, gid] = entryOf('/etc/group', name) ?? []
    return gid ? Number(gid) : undefined
  }
  return ensure(name, 'groupadd', find, ['--system'])
}

async function ensure<T>(
  name: string,
  program: 'useradd' | 'groupadd',
  find: () => T | undefined,
  options: string[]
): Promise<T> {
  const existing = find()
  if (existing !== undefined) return existing
  // On minimal systems, this program is missing.
  if (!existsSync(`/usr/sbin/${program}`)) await installAptPackages(['passwd'])
  const result = await runProgram([program, ...options, name])
  // Ignores the exit code and looks for the user or group instead, because another process may have created it at the
  // same moment.
  for (let attempt = 0; attempt < 50; attempt++) {
    const account = find()
    if (account !== undefined) return account
    await sleep(100)
  }
  throw new CliError(
    `The system user or group ${name} could not be created (${result.output.trim()}). Run Berth as a user other than root`
  )
}
