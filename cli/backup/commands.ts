import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline/promises'
import type { BackupTarget } from '../../packages/backup/contract.js'
import { assertConfined } from '../../packages/incus-broker/rules.js'
import {
  APPLIED_AT_CONFIG_KEY,
  RECORDS_APPLIED_MARK_KEY,
  Incus,
  removeContainer,
  APPLIED_VALUE_RESTORED,
} from '../../packages/incus/main.js'
import { findSystemUser } from '../system_users.js'
import { CliError, homePath, readHome, openHome, type BerthHome } from '../berth_home.js'
import { CleanupStack } from '../cleanup_stack.js'
import { findRunningDatabase, openDatabase } from '../postgres/open_database.js'
import { runOrThrow } from '../run_program.js'
import { formatDuration, print, runStep, formatTable, colorize } from '../print.js'
import { runBackupJob } from './backup_job.js'
import { filterBackupPoints } from './restore_from_point.js'
import {
  assertBackupTarget,
  ensureRestic,
  filterSnapshotsByKind,
  Restic,
  type Snapshot,
} from './restic.js'
import { restoreHome } from './restore_home.js'
import { SETTINGS_COPY_NAME } from '../service/settings_file.js'

/**
 * Reads S3 keys from environment variables, because arguments would be visible in the process list.
 * @throws BackupError for an invalid target
 */
export function parseBackupTarget(
  location: string,
  env: NodeJS.ProcessEnv = process.env
): BackupTarget {
  const target = {
    place: location,
    accessKeyId: env.AWS_ACCESS_KEY_ID,
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
    region: env.AWS_DEFAULT_REGION,
  }
  assertBackupTarget(target)
  return target
}

export async function runBackupCommand(location: string): Promise<number> {
  const target = parseBackupTarget(location)
  if (process.env.DATABASE_URL) throw new CliError(EXTERNAL_DATABASE_MESSAGE)
  await ensureRestic()
  const life = new CleanupStack()
  const stop = new AbortController()
  const home = await openHome()
  const started = performance.now()
  await life.during(async () => {
    void life.stopRequested.then(() => stop.abort())
    if (!(await findRunningDatabase(home))) {
      const database = await openDatabase(home)
      life.atEnd(() => database.stop())
    }
    const outcome = await runBackupJob(
      { job: 'backup', target, full: true },
      { onProgress: progress(), signal: stop.signal }
    )
    await ownAll(home, target)
    const { bytes = 0, added = 0 } = outcome
    print(
      `${colorize('green', '✓')} All data up to ${outcome.at} is backed up at ${location}: ${size(bytes)} read, ${size(added)} added (${formatDuration(performance.now() - started)})`
    )
    print('The backup key is on the recovery sheet: ./berth backup --sheet')
  })
  return stop.signal.aborted ? 130 : 0
}

const EXTERNAL_DATABASE_MESSAGE =
  'Berth does not back up your own database (DATABASE_URL). Back it up on its server, with pg_basebackup and WAL archiving. See docs/guides/backup.md'

/** Makes the user that runs scheduled backups the owner of the files that root wrote. */
async function ownAll(home: BerthHome, { place }: BackupTarget): Promise<void> {
  const account = process.getuid?.() === 0 ? findSystemUser('berth-backup') : undefined
  if (!account) return
  const paths = [join(home.path, 'backup', 'own'), ...(place.startsWith('/') ? [place] : [])]
  await runOrThrow([
    'chown',
    '-R',
    '--no-dereference',
    `${account.uid}:${account.gid}`,
    '--',
    ...paths,
  ])
}

/** Prints the backup key and how to restore, for `./berth backup --sheet`. Returns the exit code. */
export function printRecoveryDocument(): number {
  const home = readHome()
  print('Berth recovery sheet. Print it, and store it away from this machine.')
  print()
  print(`  Backup key   ${home.secrets.backupKey}`)
  print(
    '  Target       the folder or s3:https://… that the page Backups shows; for S3 also its access key and secret key'
  )
  print()
  print(
    'To restore on a new machine, run in a checkout of Berth: ./berth restore TARGET   (it asks for the key)'
  )
  print('With the key and the target, anybody can read the backups. Without the key, nobody can.')
  return 0
}

export async function printBackups(location: string): Promise<number> {
  await ensureRestic()
  const target = parseBackupTarget(location)
  const restic = new Restic({ target, key: await readKey(), cache: cacheFolder() })
  const there = await restic.open({ make: false })
  print(
    formatTable(
      ['point', 'what'],
      [
        ...filterBackupPoints(there).map(({ tags }) => [tags.at, 'everything except instances']),
        ...filterSnapshotsByKind(there, 'instance').map(({ tags }) => [
          tags.at,
          `instance ${tags.name}`,
        ]),
      ]
    )
  )
  return 0
}

function cacheFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-restic-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function runRestoreCommand(
  location: string,
  { at, replace }: { at?: string; replace: boolean }
): Promise<number> {
  const target = parseBackupTarget(location)
  const time = at === undefined ? undefined : new Date(at)
  if (time && Number.isNaN(time.getTime())) {
    throw new CliError(`--at needs a time such as 2026-11-24T10:00:00Z, not "${at}"`)
  }
  if (process.env.DATABASE_URL) throw new CliError(EXTERNAL_DATABASE_MESSAGE)
  await ensureRestic()
  const started = performance.now()
  const onProgress = progress()
  const restored = await restoreHome({
    target,
    key: await readKey(),
    at: time,
    replace,
    onProgress,
  })
  print(
    `${colorize('green', '✓')} Restored ${restored.home} to ${restored.at} (${formatDuration(performance.now() - started)})`
  )
  if (restored.aside) print(`The previous data is in ${restored.aside}`)
  const settings = join(restored.home, SETTINGS_COPY_NAME)
  if (existsSync(settings)) print(`The settings of the backed-up machine are in ${settings}`)
  print('Next, run ./berth up. Then restore instances with ./berth restore TARGET --instances')
  return 0
}

/** Restores the newest backup of each instance that Incus does not have. `only`: restores only this instance. */
export async function restoreInstances(location: string, only?: string): Promise<number> {
  await ensureRestic()
  const socket = join(homePath(), 'incus', 'unix.socket')
  if (!existsSync(socket))
    throw new CliError('Run ./berth up first. Instances are restored into its Incus')
  const target = parseBackupTarget(location)
  const restic = new Restic({ target, key: await readKey(), cache: cacheFolder() })
  const incus = Incus.local(socket)
  try {
    const backups = await restic.open({ make: false })
    const newest = new Map<string, Snapshot>()
    const instanceBackups = filterSnapshotsByKind(backups, 'instance')
    for (const each of instanceBackups.sort((a, b) => a.tags.at.localeCompare(b.tags.at))) {
      newest.set(each.tags.name, each)
    }
    if (only && !newest.has(only)) throw new CliError(`There is no backup of an instance ${only}`)
    const there = new Set((await incus.instances.list()).map(({ name }) => name))
    for (const [name, snapshot] of newest) {
      if (only && only !== name) continue
      if (there.has(name)) {
        print(`Skipped ${name}, because it already exists`)
        continue
      }
      await runStep(`Restore ${name} as of ${snapshot.tags.at}`, () =>
        importInstanceFromBackup(incus, restic, snapshot)
      )
    }
    return 0
  } finally {
    await incus.close()
  }
}

/**
 * An attacker on the old host may have changed the instance's permissions in the export. So if root could escape from
 * the imported instance, this function deletes it. Berth then applies the settings in its database to the instance.
 * @throws CliError after it has deleted the instance; IncusError or BackupError if the import fails
 */
export async function importInstanceFromBackup(
  incus: Incus,
  restic: Restic,
  { id, tags: { name, at } }: Snapshot
): Promise<void> {
  const stream = new PassThrough()
  const sending = restic.dump(id, `/${name}.tar`, stream).then(
    () => void stream.end(),
    (error: Error) => {
      stream.destroy(error)
      throw error
    }
  )
  const [operation] = await Promise.all([incus.instances.importBackup(name, stream), sending])
  await operation.wait(3_600)
  let config: Record<string, string>
  try {
    const restored = await incus.instances.get(name)
    assertConfined(restored)
    config = restored.config
  } catch (error) {
    await removeContainer(incus, name)
    throw new CliError(`${name} was not restored: ${(error as Error).message}`)
  }
  const mark = {
    [RECORDS_APPLIED_MARK_KEY]: APPLIED_VALUE_RESTORED,
    // Backups of earlier releases do not record up to which time project deletions were applied to the instance. For
    // these, uses the time of the backup.
    [APPLIED_AT_CONFIG_KEY]: config[APPLIED_AT_CONFIG_KEY] || at,
  }
  // Only prints an error, because Incus writes this setting to the instance's disk, which may be full.
  await incus.instances
    .patch(name, { config: mark })
    .catch((error: Error) =>
      print(
        `${name} is restored, but Berth will not apply newer ports and sites automatically (${error.message}). Save its ports and virtual hosts again.`
      )
    )
}

/**
 * Reads the backup key from BACKUP_KEY. Without a terminal, reads it from the home's secrets, otherwise asks for it. It
 * is not an argument, because other users could read that.
 */
async function readKey(): Promise<string> {
  if (process.env.BACKUP_KEY) return process.env.BACKUP_KEY.trim()
  if (existsSync(join(homePath(), 'secrets.json'))) {
    const { backupKey } = readHome().secrets
    if (backupKey && !process.stdin.isTTY) return backupKey
  }
  const asking = createInterface({ input: process.stdin, output: process.stdout })
  const key = await asking.question('Backup key (from the recovery sheet): ')
  asking.close()
  if (!key.trim()) throw new CliError('Enter the backup key from the recovery sheet')
  return key.trim()
}

function progress(): (note: string, share?: number) => void {
  let last = ''
  return (note, share) => {
    const line = share ? `${note}: ${Math.floor(share * 10) * 10} %` : note
    if (line !== last) print(`  ${colorize('dim', line)}`)
    last = line
  }
}

function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toFixed(step ? 1 : 0)} ${units[step]}`
}
