import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { runBackupJob } from '../backup/backup_job.js'
import { type FullTargetTimeouts, Restic } from '../backup/restic.js'
import { buildFolder } from '../build.js'
import { openHome, type BerthHome } from '../berth_home.js'
import { findRealPostgresFolder } from '../postgres/cluster_folder.js'
import { openDatabase } from '../postgres/open_database.js'
import { prepareClusterForRestore } from '../postgres/server.js'
import type { BerthDatabase } from '../postgres/connections.js'
import { selectProcessEnv, findFreePorts, commonProcessEnv } from '../roles.js'
import { runOrThrow } from '../run_program.js'
import { migrateDatabase, waitFor200 } from '../ace_commands.js'
import { VaultControlClient } from '../../packages/vault-service/control/client.js'
import { bodiesFolder } from '../../packages/vault-service/folders.js'
import { startVaultService } from '../../packages/vault-service/main.js'
import { bodyPath } from '../../packages/vault-service/store/folder_body_storage.js'
import { lowerRepositoryKeyCost } from './lower_repository_key_cost.js'
import type {
  BackupJob,
  BackupJobResult,
  Retention,
  BackupTarget,
} from '../../packages/backup/contract.js'

export const KEEP_ALL_POINTS: Retention = { hours: 100, days: 100, weeks: 100, months: 100 }

/** A home with all database tables, which fixtures copy. Its database server is stopped. */
export interface HomeTemplate {
  folder: string
  home: BerthHome
  place: string
  /** Backup target with an empty repository, whose password is the home's backup key. */
  target: string
}

export async function createHomeTemplate(): Promise<HomeTemplate> {
  const folder = await makeFolder()
  const home = await openHome(join(folder, 'home'))
  const database = await openDatabase(home, { fast: true, env: {} })
  const env = commonProcessEnv({
    home,
    database,
    ports: await findFreePorts(),
    mode: 'test',
    env: { PATH: process.env.PATH, HOST: '127.0.0.1' },
  })
  await migrateDatabase({ home, database, env, from: 'build', always: true })
  await database.stop()
  const target = join(folder, 'target')
  const { backupKey: key } = home.secrets
  await new Restic({ target: { place: target }, key, cache: join(folder, 'cache') }).open({
    make: true,
  })
  await lowerRepositoryKeyCost(target, key)
  return { folder, home, place: (await findRealPostgresFolder(home.path))!, target }
}

export async function removeHomeTemplate({ folder, home }: HomeTemplate): Promise<void> {
  await removeHomeData(home)
  await rm(folder, { recursive: true, force: true })
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-backup-'))
  // If the tests run as root, the database servers run as another user, who must be able to enter the folder.
  await chmod(folder, 0o711)
  return folder
}

/** ID of the vault that `upload` fills, and of its account. */
const VAULT_ID = 1

/** A Berth home whose database has all tables, for one test. The first upload starts a vault service. */
export class BackupFixture {
  readonly signal = new AbortController().signal
  readonly notes: string[] = []
  #vault?: Promise<{
    url: string
    control: VaultControlClient
    secret: string
    stop: () => Promise<void>
  }>

  private constructor(
    readonly folder: string,
    readonly home: BerthHome,
    readonly database: BerthDatabase,
    readonly target: BackupTarget
  ) {}

  /** Copies the template, because creating all tables for each test would take longer. */
  static async make(pattern: HomeTemplate): Promise<BackupFixture> {
    const folder = await makeFolder()
    await mkdir(join(folder, 'home'))
    for (const name of ['secrets.json', 'state.json']) {
      await cp(join(pattern.home.path, name), join(folder, 'home', name))
    }
    const home = await openHome(join(folder, 'home'))
    const { clusterFolder } = await prepareClusterForRestore(home)
    await runOrThrow(['cp', '-a', join(pattern.place, 'data'), join(clusterFolder, 'data')])
    const database = await openDatabase(home, { fast: true, env: {} })
    const target = { place: join(folder, 'target') }
    await runOrThrow(['cp', '-a', pattern.target, target.place])
    return new BackupFixture(folder, home, database, target)
  }

  async sql<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return queryAt(this.database.ownerUrl, text, values)
  }

  job(
    job: Exclude<BackupJob, { job: 'instance' }>,
    waits?: FullTargetTimeouts
  ): Promise<BackupJobResult> {
    const tell = (note: string) => void this.notes.push(note)
    return runBackupJob(job, { onProgress: tell, signal: this.signal, path: this.home.path, waits })
  }

  backup(full = false, keep: Retention | undefined = KEEP_ALL_POINTS): Promise<BackupJobResult> {
    return this.job({ job: 'backup', target: this.target, full, keep })
  }

  async upload(name: string, bytes = randomBytes(20_000)): Promise<void> {
    const { url, secret } = await this.#ensureVault()
    const form = new FormData()
    form.set('filename', name)
    form.set('file', new Blob([new Uint8Array(bytes)]), name)
    const headers = { 'x-secret-key': secret, 'x-access-key-id': String(VAULT_ID) }
    const answer = await fetch(`${url}/upload`, { method: 'POST', headers, body: form })
    if (!answer.ok) throw new Error(await answer.text())
  }

  async deleteObject(name: string): Promise<void> {
    const { control } = await this.#ensureVault()
    await control.call('removeFiles', { id: VAULT_ID, names: [name] })
  }

  async fileOf(name: string): Promise<string> {
    const [{ body }] = await this.sql<{ body: string }>(
      `select bodies[1]::text as body from vault.objects where name = $1 and store = 'folder'`,
      [name]
    )
    return bodyPath(bodiesFolder(join(this.home.path, 'vault')), Number(body))
  }

  #ensureVault() {
    return (this.#vault ??= this.#startVault())
  }

  async #startVault() {
    const { vaultKey: key, vaultControlKey: controlKey } = this.home.secrets
    const service = await startVaultService({
      host: '127.0.0.1',
      port: 0,
      databaseUrl: this.database.ownerUrl,
      key,
      controlKey,
      folder: join(this.home.path, 'vault'),
      reserve: 0,
    })
    const url = `http://127.0.0.1:${service.port}`
    const control = new VaultControlClient({ url, key: controlKey })
    const vault = { id: VAULT_ID, accountId: VAULT_ID, key: 'harbour' }
    const { secret } = await control.call('makeVault', vault)
    return { url, control, secret, stop: service.stop }
  }

  async serveVault() {
    const ports = await findFreePorts()
    const { home, database } = this
    const given = {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      VAULT_THREADS: '1',
      VAULT_RESERVE: '0',
    }
    const env = commonProcessEnv({ home, database, ports, mode: 'test', env: given })
    const argv = [join(buildFolder, 'bin/role.js'), 'vault']
    const child = spawn(process.execPath, argv, {
      cwd: buildFolder,
      env: selectProcessEnv('vault', env),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const url = `http://127.0.0.1:${ports.vault}`
    const stop = async () => {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    }
    if (!(await waitFor200(`${url}/health`, 120_000))) {
      await stop()
      throw new Error('The vault of a test did not start')
    }
    const control = new VaultControlClient({ url, key: home.secrets.vaultControlKey })
    return { url, control, stop }
  }

  async end(): Promise<void> {
    await (await this.#vault)?.stop()
    await this.database.stop()
    await removeHomeData(this.home)
    await rm(this.folder, { recursive: true, force: true })
  }
}

export async function queryAt<T extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: unknown[] = []
): Promise<T[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
    .query<T>(text, values)
    .then(
      ({ rows }) => rows,
      (error) => {
        throw error
      }
    )
    .finally(() => client.end())
}

/** Deletes only the folder of the database, which may be outside the home. */
export async function removeHomeData(home: BerthHome): Promise<void> {
  const data = await findRealPostgresFolder(home.path)
  if (data) await rm(data, { recursive: true, force: true })
}
