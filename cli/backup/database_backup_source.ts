import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inspectPostgresCluster, type PostgresCluster } from '../postgres/cluster_folder.js'
import { PROGRAMS_LINK_NAME } from '../postgres/programs.js'
import { readExternalServer } from '../postgres/external_server.js'
import type { BerthHome } from '../berth_home.js'
import { syncPath } from '../sync_path.js'
import { pathExists, type BackupFolder, type BaseBackup } from './backup_folder.js'
import { BackupError, type Restic } from './restic.js'

/** Tolerance for comparing times of files with this process's clock. */
const CLOCK_GRANULARITY_MS = 2_000
/** Time after which archiving counts as stuck if no WAL file was archived. */
const WAL_TIMEOUT_MS = 120_000

/**
 * Files that a base backup leaves out. PostgreSQL creates most of them again, or only the running server needs them
 * (PostgreSQL manual, 25.3.4). WAL files and `pg_control` are copied separately.
 */
const EXCLUDED_PATHS = [
  'data/postmaster.pid',
  'data/postmaster.opts',
  'data/pg_wal/*',
  'data/pg_replslot/*',
  'data/pg_dynshmem/*',
  'data/pg_notify/*',
  'data/pg_serial/*',
  'data/pg_snapshots/*',
  'data/pg_stat_tmp/*',
  'data/pg_subtrans/*',
  'data/base/pgsql_tmp*',
  'data/base/*/pgsql_tmp*',
  'data/base/*/pg_internal.init*',
  'data/global/pg_internal.init*',
  'data/global/pg_control',
]

export interface RecoveryPoint {
  /** `at`: time of the database server's clock. `name`: name of the restore point in the WAL. */
  at: string
  name: string
}

export class DatabaseBackupSource {
  private constructor(
    readonly cluster: PostgresCluster,
    readonly client: pg.Client
  ) {}

  /** @throws BackupError if the server is external, does not run, or was started without `archive_mode` */
  static async open(home: BerthHome): Promise<DatabaseBackupSource> {
    const external = readExternalServer(home)
    if (external) {
      throw new BackupError(
        'refused',
        `Berth does not back up the PostgreSQL server at ${external.at}. Back it up there, or run as root: ./berth database move --to system`
      )
    }
    const cluster = await inspectPostgresCluster(home).catch(() => undefined)
    if (!cluster?.url) {
      throw new BackupError(
        'refused',
        'The database of this home is not running. Run ./berth up first'
      )
    }
    const client = await connectWithSafeSearchPath(cluster.url)
    const database = new DatabaseBackupSource(cluster, client)
    const [{ mode }] = await database.rows<{ mode: string }>(
      `select current_setting('archive_mode') as mode`
    )
    if (mode === 'on') return database
    await client.end()
    throw new BackupError(
      'refused',
      'The database was started by an older Berth. Stop ./berth up and start it again'
    )
  }

  async rows<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.client.query<T>(sql, values)).rows
  }

  close(): Promise<void> {
    return this.client.end().catch(() => {})
  }

  get archive(): string {
    return join(this.cluster.clusterFolder, 'archive')
  }

  get isArchiving(): boolean {
    return pathExists(join(this.archive, 'on'))
  }

  async archiving(on: boolean): Promise<void> {
    if (on) return void (await writeFile(join(this.archive, 'on'), '', { mode: 0o640 }))
    for (const name of await readdir(this.archive)) await rm(join(this.archive, name))
  }

  /** Moves archived WAL files to the backup folder. After an interruption, the same file may be in both folders. */
  async collect(folder: BackupFolder): Promise<void> {
    for (const name of (await readdir(this.archive)).sort()) {
      if (!name.endsWith('.gz')) continue
      const draft = join(folder.path, 'piece.new')
      await pipeline(createReadStream(join(this.archive, name)), createWriteStream(draft))
      await syncPath(draft)
      await rename(draft, join(folder.wal, name))
      await syncPath(folder.wal)
      await rm(join(this.archive, name))
    }
  }

  /** Copies the files while the server runs, and writes the record of the base backup to `folder`. */
  async base(
    restic: Restic,
    folder: BackupFolder,
    before: BaseBackup | undefined,
    onProgress: (share: number) => void
  ): Promise<{ base: BaseBackup; bytes: number; added: number }> {
    const { clusterFolder } = this.cluster
    const id = randomUUID()
    const began = Date.now()
    await this.rows(`select pg_backup_start('berth', fast => true)`)
    const tags = { kind: 'data', base: id }
    const paths = ['data', PROGRAMS_LINK_NAME].filter((path) =>
      pathExists(join(clusterFolder, path))
    )
    const sent = await restic.backup(clusterFolder, paths, {
      tags,
      exclude: EXCLUDED_PATHS,
      mayVanish: true,
      onProgress,
      parent: before?.data,
    })
    const racy = before ? await readTooSoon(clusterFolder, before.read) : []
    // Without a previous backup, restic has just read all files, so none has to be read again.
    const again = racy.length
      ? await restic.backup(clusterFolder, [...racy, 'data/PG_VERSION'], {
          tags: { ...tags, kind: 'again' },
          mayVanish: true,
        })
      : undefined
    const control = await steady(join(clusterFolder, 'data/global/pg_control'))
    const ended = Date.now()
    // Does not wait here until the WAL is archived. `piece` waits below, and can report the reason if archiving fails.
    const [{ lsn, label }] = await this.rows<{ lsn: string; label: string }>(
      `select lsn::text, labelfile as label from pg_backup_stop(wait_for_archive => false)`
    )
    const [{ last, at }] = await this.rows<{ last: string; at: Date }>(
      `select pg_walfile_name($1::pg_lsn - 1) as last, clock_timestamp() as at`,
      [lsn]
    )
    await this.piece(folder, last)
    const copies = again ? [sent, again] : [sent]
    const [data, more = null] = await restic.wholeIds(copies, { base: id })
    const base: BaseBackup = {
      id,
      data,
      again: more,
      wal: /START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(label)![1],
      ready: at.toISOString(),
      read: [began, ended],
      postgres: readFileSync(join(clusterFolder, 'data/PG_VERSION'), 'utf8').trim(),
    }
    await folder.writeBase(base, { label: Buffer.from(label), control })
    return { base, bytes: sent.bytes, added: sent.added + (again?.added ?? 0) }
  }

  /**
   * Creates a restore point in the WAL. Outside a transaction, commits one first, because a recovery to a given time
   * needs a later transaction. `last` is the WAL file that contains the restore point.
   */
  async mark(name: string): Promise<{ moment: RecoveryPoint; last: string }> {
    const [{ at }] = await this.rows<{ at: Date }>('select clock_timestamp() as at')
    await this.rows('select pg_current_xact_id()')
    const [{ last }] = await this.rows<{ last: string }>(
      'select pg_walfile_name(pg_create_restore_point($1) - 1) as last',
      [name]
    )
    return { moment: { at: at.toISOString(), name }, last }
  }

  /**
   * Waits until the backup folder contains a WAL file and all files before it.
   * @throws BackupError if the server archives nothing for `WAL_TIMEOUT_MS`
   */
  async piece(folder: BackupFolder, name: string): Promise<void> {
    await this.rows('select pg_switch_wal()')
    let seen = ''
    let until = Date.now() + WAL_TIMEOUT_MS
    for (;;) {
      await this.collect(folder)
      if (existsSync(join(folder.wal, `${name}.gz`))) return
      const [{ done, failed }] = await this.rows<{ done: string | null; failed: string | null }>(
        'select last_archived_wal as done, last_failed_wal as failed from pg_stat_archiver'
      )
      if (done && done !== seen) {
        seen = done
        until = Date.now() + WAL_TIMEOUT_MS
      }
      if (Date.now() > until) {
        const why = failed ? `: ${failed} could not be written. Is the disk full?` : ''
        throw new BackupError('refused', `The database does not archive its write-ahead log${why}`)
      }
      await sleep(100)
    }
  }

  /**
   * Makes the vault keep files of objects that are deleted from now on, because the next recovery point may still refer
   * to them. Files of objects that were deleted before `at`, the time of a recovery point, may be removed. Default: the
   * stored time, at first now. After `days` days without another call, the vault removes files again.
   */
  async holdDeleted(days: number, at?: string): Promise<void> {
    const values = at ? [days, at] : [days]
    const atOfRow = at ? 'excluded.at' : 'backed_up.at'
    await this.rows(
      `insert into vault.backed_up (at, until)
       values (${at ? '$2' : 'now()'}, now() + make_interval(days => $1)) on conflict (one)
       do update set at = ${atOfRow}, until = excluded.until`,
      values
    )
  }

  async holdNothing(): Promise<void> {
    await this.rows('delete from vault.backed_up')
  }
}

/**
 * Connects to the database with a safe search path. Otherwise another role could create a schema with the superuser's
 * name. PostgreSQL could choose functions in it instead of its own, and run them as the superuser.
 */
export async function connectWithSafeSearchPath(connectionString: string): Promise<pg.Client> {
  const options = '-c search_path=public'
  const client = new pg.Client({ connectionString, options, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Returns files whose modification time is within the previous backup. restic may have read them before the change, and
 * compares only size and modification time, so it would not read them again.
 */
async function readTooSoon(
  clusterFolder: string,
  [began, ended]: BaseBackup['read']
): Promise<string[]> {
  const racyFiles: string[] = []
  const root = join(clusterFolder, 'data')
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const inside = path.slice(clusterFolder.length + 1)
    if (
      inside.startsWith('data/pg_wal/') ||
      /^data\/(global\/pg_control|postmaster\.)/.test(inside)
    ) {
      continue
    }
    const stats = await stat(path).catch(() => undefined)
    if (
      stats &&
      stats.mtimeMs >= began - CLOCK_GRANULARITY_MS &&
      stats.mtimeMs <= ended + CLOCK_GRANULARITY_MS
    )
      racyFiles.push(inside)
  }
  return racyFiles
}

/**
 * Reads a small file until two reads return the same bytes, because the server may be writing the file during a read.
 */
async function steady(path: string): Promise<Buffer> {
  let before = await readFile(path)
  for (;;) {
    await sleep(20)
    const now = await readFile(path)
    if (now.equals(before)) return now
    before = now
  }
}
