import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { runBackupJob } from '../cli/backup/backup_job.js'
import {
  verifyVaultFiles,
  listTableDifferences,
  checksumTables,
} from '../cli/backup/verify_restore.js'
import { connectWithSafeSearchPath } from '../cli/backup/database_backup_source.js'
import { ensureRestic } from '../cli/backup/restic.js'
import { restoreHome } from '../cli/backup/restore_home.js'
import { openHome, type BerthHome } from '../cli/berth_home.js'
import { installRoot } from '../cli/paths.js'
import { inspectPostgresCluster } from '../cli/postgres/cluster_folder.js'
import { openDatabase } from '../cli/postgres/open_database.js'
import { findFreePorts, commonProcessEnv } from '../cli/roles.js'
import { runOrThrow, runProgram } from '../cli/run_program.js'
import { migrateDatabase } from '../cli/ace_commands.js'
import { resultRow, measureMs, type Bench, type ResultRow } from './measurement.js'

/** Size of the database in megabytes of rows. Before each later backup, a hundredth of this is added. */
const DATABASE_MB = Number(process.env.BACKUP_DATABASE_MB ?? 2_500)
/** Size of the vaults in objects of 1 MiB. Before each later backup, a hundredth of this is added. */
const VAULTS_MB = Number(process.env.BACKUP_VAULTS_MB ?? 2_500)
const BYTES_PER_MIB = 1024 ** 2
const RETENTION = { hours: 48, days: 14, weeks: 8, months: 12 }
const RESTIC_PASSWORD = 'of the bench alone'

/**
 * Benchmark `backup` (docs/benchmarks.md): full backup, incremental backup and restore. Compared with pg_basebackup and
 * restic on the same files.
 */
const bench: Bench = {
  name: 'backup',
  async run({ say }) {
    await ensureRestic()
    const folder = join(installRoot, '.berth', 'bench-backup')
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o711 })
    const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
    try {
      say(`${DATABASE_MB} MB of rows, ${VAULTS_MB} MB of objects`)
      const home = await openHome(join(folder, 'home'))
      const database = await openDatabase(home, { env: {} })
      ends.push(() => database.stop())
      const env = commonProcessEnv({
        home,
        database,
        ports: await findFreePorts(),
        mode: 'test',
        env: { PATH: process.env.PATH, HOST: '127.0.0.1' },
      })
      await migrateDatabase({ home, database, env, from: 'sources', always: true })
      const filling = await Filling.begin(home, database.ownerUrl)
      ends.push(() => filling.end())
      await filling.add(DATABASE_MB, VAULTS_MB)
      return await measure(folder, home, filling, say)
    } finally {
      for (const end of ends.reverse()) await end()
    }
  },
}

export default bench

async function measure(
  folder: string,
  home: BerthHome,
  filling: Filling,
  say: (line: string) => void
): Promise<ResultRow[]> {
  const target = { place: join(folder, 'target') }
  const told = { onProgress: () => {}, signal: new AbortController().signal, path: home.path }
  const job = (full: boolean) =>
    runBackupJob({ job: 'backup', target, full, keep: RETENTION }, told)
  await runBackupJob({ job: 'look', target }, told)
  const [plain, after] = [join(folder, 'plain'), join(folder, 'plain-after')].map(
    (repository) => new PlainRestic(repository)
  )
  for (const one of [plain, after]) await one.run(['init', '--repository-version=2'])
  const { clusterFolder, url } = await inspectPostgresCluster(home)
  const trees = [join(clusterFolder, 'data'), join(home.path, 'vault')]
  const settled = async () => {
    await filling.client.query('checkpoint')
    await runOrThrow(['sync'])
  }
  const rows: ResultRow[] = []

  say('full')
  await settled()
  const before = await measureMs(() => plain.backup(trees))
  await settled()
  const full = await measureMs(() => job(true))
  await settled()
  // Mean of two runs of restic, before and after Berth's backup, because the disk may become slower after many writes.
  const theirs = (before + (await measureMs(() => after.backup(trees)))) / 2
  rows.push(at('full backup', full, theirs, 'restic on the same files, before and after'))
  const copied = await pgBasebackup(folder, url!)
  if (copied) {
    const vault = new PlainRestic(join(folder, 'plain-vault'))
    await vault.run(['init', '--repository-version=2'])
    const files = await measureMs(() => vault.backup([trees[1]]))
    rows.push(at('full backup', full, copied + files, 'pg_basebackup, then restic for vaults'))
  }

  say('incremental')
  await filling.add(DATABASE_MB / 100, VAULTS_MB / 100)
  await settled()
  const again = await measureMs(() => plain.backup(trees))
  await settled()
  rows.push(at('full one after it', await measureMs(() => job(true)), again, 'restic once more'))
  await filling.add(DATABASE_MB / 100, VAULTS_MB / 100)
  await settled()
  const third = await measureMs(() => plain.backup(trees))
  rows.push(at('point in time', await measureMs(() => job(false)), third, 'restic once more'))

  say('restore')
  const fetched = await measureMs(() =>
    plain.run(['restore', 'latest', `--target=${join(folder, 'plain-restored')}`])
  )
  const ours = await filling.sums()
  const path = join(folder, 'restored')
  const { backupKey: key } = home.secrets
  const options = { target, key, replace: false, path, onProgress: () => {} }
  rows.push(at('restore', await measureMs(() => restoreHome(options)), fetched, 'restic restore'))
  rows.push(await compare(path, ours, say))
  return rows
}

function at(name: string, ours: number, against: number, reference: string): ResultRow {
  return resultRow({ case: name, unit: 'ms', ours, against, reference, goal: '<= 1.1x' })
}

/** Compares the restored data with the original. Returns a row of the result with the number of differences. */
async function compare(
  path: string,
  ours: Awaited<ReturnType<Filling['sums']>>,
  say: (line: string) => void
): Promise<ResultRow> {
  const home = await openHome(path)
  const database = await openDatabase(home, { env: {} })
  const client = await connectWithSafeSearchPath(database.ownerUrl)
  try {
    // Ignores this table, because Berth updates it only after a backup is complete.
    ours.delete('vault.backed_up')
    const theirs = await checksumTables(client)
    theirs.delete('vault.backed_up')
    const wrong = listTableDifferences(ours, theirs)
    const bodies = await verifyVaultFiles(client, join(path, 'vault'))
    for (const each of [...wrong, ...bodies.wrong]) say(each)
    const count = wrong.length + bodies.wrong.length
    return resultRow({ case: 'restored, not the same', unit: 'things', ours: count, goal: '<= 0' })
  } finally {
    await client.end()
    await database.stop()
  }
}

/**
 * Runs pg_basebackup. Returns its duration in milliseconds, or `undefined` if PostgreSQL 18 or later is not installed.
 */
async function pgBasebackup(folder: string, url: string): Promise<number | undefined> {
  const versions = existsSync('/usr/lib/postgresql') ? await readdir('/usr/lib/postgresql') : []
  const version = versions.map(Number).sort((a, b) => b - a)[0] ?? 0
  if (version < 18) return undefined
  const { username, password, port, hostname } = new URL(url)
  const argv = [
    join('/usr/lib/postgresql', String(version), 'bin/pg_basebackup'),
    `--host=${hostname}`,
    `--port=${port}`,
    `--username=${username}`,
    '--checkpoint=fast',
    `--pgdata=${join(folder, 'basebackup')}`,
  ]
  return measureMs(() => runOrThrow(argv, { env: { ...process.env, PGPASSWORD: password } }))
}

class PlainRestic {
  readonly #repository: string

  constructor(repository: string) {
    this.#repository = repository
  }

  async run(argv: string[], accept = [0]): Promise<void> {
    const env = {
      ...process.env,
      RESTIC_REPOSITORY: this.#repository,
      RESTIC_PASSWORD,
      RESTIC_CACHE_DIR: `${this.#repository}-cache`,
    }
    const { code, output } = await runProgram(['restic', ...argv], { env })
    if (!accept.includes(code)) throw new Error(`restic ${argv[0]}: ${output.slice(-500)}`)
  }

  /** Backs up paths. Accepts restic's exit code 3, because files may disappear while the database is running. */
  backup(paths: string[]): Promise<void> {
    return this.run(['backup', '--quiet', ...paths], [0, 3])
  }
}

/** Fills a home with data that, like real data, can be compressed a little. */
class Filling {
  #body = 1_000

  readonly #home: BerthHome

  private constructor(
    home: BerthHome,
    readonly client: pg.Client
  ) {
    this.#home = home
  }

  static async begin(home: BerthHome, ownerUrl: string): Promise<Filling> {
    const { url } = await inspectPostgresCluster(home)
    const owner = await connectWithSafeSearchPath(ownerUrl)
    await owner.query(`create table ballast (id bigserial primary key, words text);
      insert into vault.vaults (id, account_id, key, link_key) values (1, 1, 'ballast', 'none')`)
    await owner.end()
    return new Filling(home, await connectWithSafeSearchPath(url!))
  }

  async add(rows: number, objects: number): Promise<void> {
    // Each row has about 1,000 bytes.
    await this.client.query(
      `insert into ballast (words) select string_agg(md5(random()::text || n || k), '')
       from generate_series(1, $1) n, generate_series(1, 29) k group by n`,
      [Math.round(rows * 1_000)]
    )
    for (let number = 0; number < objects; number++) await this.#object()
  }

  /** Writes an object of 1 MiB to the vault's folder, and its row. */
  async #object(): Promise<void> {
    const body = this.#body++
    const name = Math.floor(body / 4_000)
      .toString(16)
      .padStart(8, '0')
    const folder = join(this.#home.path, 'vault', name)
    await mkdir(folder, { recursive: true })
    const bytes = Buffer.concat([
      randomBytes(BYTES_PER_MIB * 0.75),
      Buffer.alloc(BYTES_PER_MIB * 0.25, 'harbour'),
    ])
    const file = await open(join(folder, String(body)), 'wx')
    await file.write(bytes)
    await file.close()
    const md5 = createHash('md5').update(bytes).digest('hex')
    await this.client.query(
      `insert into vault.objects
         (vault_id, name, store, bodies, sizes, digests, size, etag, type, modified_at)
       values (1, $1, 'folder', array[$4::bigint], array[$2::bigint], array[$3], $2, $3, 'x', now())`,
      [String(body), bytes.length, md5, body]
    )
  }

  sums() {
    return checksumTables(this.client)
  }

  end(): Promise<void> {
    return this.client.end()
  }
}
