import { randomBytes, randomUUID } from 'node:crypto'
import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { releaseHomePath, isPackaged, installSourcePath } from './paths.js'
import { syncPath } from './sync_path.js'

/** Generated once. Only Berth can read them. */
export interface Secrets {
  appKey: string
  databaseSuperuser: string
  databaseOwner: string
  databaseApp: string
  databaseVault: string
  databaseMail: string
  /** Encryption keys of the vault and the mail service. Neither service gets `appKey`. */
  vaultKey: string
  mailKey: string
  vaultControlKey: string
  mailControlKey: string
  /** Password of the backup repository. A restore needs it. */
  backupKey: string
}

/** The home: the folder with the data of an installation (`homePath`). */
export interface BerthHome {
  path: string
  /** ID of this control machine (docs/decisions/0018). */
  machine: string
  logs: string
  secrets: Secrets
}

/** An error that a command prints as its message, without a stack trace. */
export class CliError extends Error {}

export const defaultHomePath = isPackaged ? '/var/lib/berth' : join(installSourcePath, '.berth')

/** BERTH_HOME, the home of the running release, or the default. */
export function homePath(env: NodeJS.ProcessEnv = process.env): string {
  if (env.BERTH_HOME) return resolve(env.BERTH_HOME)
  return releaseHomePath ?? defaultHomePath
}

/**
 * Creates a missing home, and missing secrets. Other users can neither list the home nor read its files. If this
 * process runs as root, other users can enter folders inside it, such as those of the database's user and of the root
 * users of instances.
 */
export async function openHome(path = homePath()): Promise<BerthHome> {
  await mkdir(path, { recursive: true, mode: isRoot() ? 0o711 : 0o700 })
  const { mode } = await stat(path)
  await chmod(path, isRoot() ? 0o711 : mode & 0o700)
  await mkdir(join(path, 'logs'), { recursive: true, mode: 0o700 })
  const machine = readMachine(path)
  return { path, machine, logs: join(path, 'logs'), secrets: await readSecrets(path) }
}

/**
 * Does not change the home.
 * @throws Error if it does not exist
 */
export function readHome(path = homePath()): BerthHome {
  const secrets = JSON.parse(readFileSync(join(path, 'secrets.json'), 'utf8')) as Secrets
  const machine = new StateFile(path).get('machine') ?? ''
  return { path, machine, logs: join(path, 'logs'), secrets }
}

function readMachine(home: string): string {
  const state = new StateFile(home)
  const known = state.get('machine') ?? randomUUID()
  if (!state.get('machine')) state.set('machine', known)
  return known
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

async function readSecrets(path: string): Promise<Secrets> {
  const file = join(path, 'secrets.json')
  const storedSecrets: Partial<Secrets> = existsSync(file)
    ? JSON.parse(await readFile(file, 'utf8'))
    : {}
  const word = () => randomBytes(24).toString('base64url')
  const secrets: Secrets = {
    appKey: storedSecrets.appKey ?? word() + word(),
    databaseSuperuser: storedSecrets.databaseSuperuser ?? word(),
    databaseOwner: storedSecrets.databaseOwner ?? word(),
    databaseApp: storedSecrets.databaseApp ?? word(),
    databaseVault: storedSecrets.databaseVault ?? word(),
    databaseMail: storedSecrets.databaseMail ?? word(),
    vaultKey: storedSecrets.vaultKey ?? word() + word(),
    mailKey: storedSecrets.mailKey ?? word() + word(),
    vaultControlKey: storedSecrets.vaultControlKey ?? word() + word(),
    mailControlKey: storedSecrets.mailControlKey ?? word() + word(),
    backupKey: storedSecrets.backupKey ?? word(),
  }
  if (JSON.stringify(storedSecrets) !== JSON.stringify(secrets))
    await writePrivateJson(file, secrets)
  await chmod(file, 0o600)
  return secrets
}

export async function writePrivateJson(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.new`
  await writeFile(draft, JSON.stringify(value, null, 2) + '\n', { mode: 0o600 })
  await syncPath(draft)
  await rename(draft, file)
  await syncPath(dirname(file))
}

/** Small values in `state.json`, such as the PostgreSQL port and a hash of the migrations. */
export class StateFile {
  #file: string

  constructor(home: string) {
    this.#file = join(home, 'state.json')
  }

  get(key: string): string | undefined {
    return this.#all()[key]
  }

  /** Synchronous, because steps that run at the same time write the same file. */
  set(key: string, value: string): void {
    const draft = `${this.#file}.${process.pid}.new`
    writeFileSync(draft, JSON.stringify({ ...this.#all(), [key]: value }, null, 2) + '\n', {
      mode: 0o600,
    })
    renameSync(draft, this.#file)
  }

  #all(): Record<string, string> {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {}
  }
}

/** In clock ticks since boot (field 22 of /proc/PID/stat). Undefined if the process does not exist. */
export function processStartTime(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/**
 * Returns a function that releases the lock, or the PID of the process that holds it. Ignores the lock of a killed
 * process, because no running process has its PID and start time.
 */
export function claimLock(file: string): (() => void) | number {
  const mine = `${process.pid} ${processStartTime(process.pid)}\n`
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, mine, { mode: 0o600 })
  try {
    for (;;) {
      try {
        linkSync(draft, file)
        return () => {
          if (existsSync(file) && readFileSync(file, 'utf8') === mine) rmSync(file, { force: true })
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        const holder = findLockHolder(file)
        if (holder) return holder
        rmSync(file, { force: true })
      }
    }
  } finally {
    unlinkSync(draft)
  }
}

export function findLockHolder(file: string): number | undefined {
  try {
    const [pid, started] = readFileSync(file, 'utf8').trim().split(' ')
    return started && processStartTime(Number(pid)) === started ? Number(pid) : undefined
  } catch {
    return undefined
  }
}

/**
 * @returns a function that releases the lock
 * @throws CliError if another process uses this home
 */
export function claimHome(home: string): () => void {
  const claimed = claimLock(join(home, 'berth.pid'))
  if (typeof claimed === 'function') return claimed
  throw new CliError(
    `Berth already runs on ${home} (process ${claimed}). Stop it first (Ctrl-C there, or kill ${claimed}), or choose another home: BERTH_HOME=/some/folder ./berth up`
  )
}

/** Waits for the lock without a time limit. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const claimed = claimLock(file)
    if (typeof claimed === 'function') return work().finally(claimed)
    await sleep(200)
  }
}
