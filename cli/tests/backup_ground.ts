import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { doJob } from '../backup/backup.js'
import { openHome, type Home } from '../home.js'
import { dataFolder, openDatabase, prepareCluster, type Database } from '../postgres.js'
import { loader, root } from '../paths.js'
import { envOf, freePorts, roleEnv } from '../roles.js'
import { must } from '../run.js'
import { migrate, waitFor200 } from '../services.js'
import { ControlClient } from '../../packages/vault-service/control/client.js'
import { Seal } from '../../packages/service/seal.js'
import type { Job, Outcome, Retention, Target } from '../../packages/backup/contract.js'

/** Of points, all. */
export const ALL: Retention = { hours: 100, days: 100, weeks: 100, months: 100 }

/** A home whose database has all tables, and is down. */
export interface Pattern {
  folder: string
  home: Home
  /** Folder of its database. */
  place: string
}

/** What grounds are copied from. */
export async function makePattern(): Promise<Pattern> {
  const folder = await makeFolder()
  const home = await openHome(join(folder, 'home'))
  const database = await openDatabase(home, { fast: true, env: {} })
  const env = roleEnv({
    ...{ home, database, ports: await freePorts(), mode: 'test' },
    env: { PATH: process.env.PATH, HOST: '127.0.0.1' },
  })
  await migrate({ home, database, env, from: 'sources', always: true })
  await database.stop()
  return { folder, home, place: (await dataFolder(home.path))! }
}

export async function endPattern({ folder, home }: Pattern): Promise<void> {
  await forget(home)
  await rm(folder, { recursive: true, force: true })
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-backup-'))
  // The drill's database is another user's, where we are root.
  await chmod(folder, 0o711)
  return folder
}

/** A home with a database of all tables, and a vault that takes objects as the vault service does. */
export class BackupGround {
  readonly signal = new AbortController().signal
  readonly notes: string[] = []
  next = 1_000

  private constructor(
    readonly folder: string,
    readonly home: Home,
    readonly database: Database,
    readonly target: Target
  ) {}

  /** Of a pattern: its secrets and its data, so that tables are made once for many. */
  static async make(pattern: Pattern): Promise<BackupGround> {
    const folder = await makeFolder()
    await mkdir(join(folder, 'home'))
    for (const name of ['secrets.json', 'state.json']) {
      await cp(join(pattern.home.path, name), join(folder, 'home', name))
    }
    const home = await openHome(join(folder, 'home'))
    const { place } = await prepareCluster(home)
    await must(['cp', '-a', join(pattern.place, 'data'), join(place, 'data')])
    const database = await openDatabase(home, { fast: true, env: {} })
    const target = { place: join(folder, 'target') }
    const ground = new BackupGround(folder, home, database, target)
    const seal = new Seal('berth vault', home.secrets.vaultKey)
    await ground.sql(
      `insert into vault.vaults (id, account_id, key, link_key) values (1, 1, 'harbour', $1)`,
      [seal.seal('a link key')]
    )
    return ground
  }

  async sql<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return sqlAt(this.database.ownerUrl, text, values)
  }

  job(job: Exclude<Job, { job: 'instance' }>, signal = this.signal): Promise<Outcome> {
    const tell = (note: string) => void this.notes.push(note)
    return doJob(job, { tell, signal, path: this.home.path })
  }

  backup(full = false, keep: Retention | undefined = ALL): Promise<Outcome> {
    return this.job({ job: 'backup', target: this.target, full, keep })
  }

  /** File, synced; then its row: as an upload that was answered. */
  async upload(name: string, bytes = randomBytes(20_000)): Promise<string> {
    const body = this.next++
    const at = join(
      this.home.path,
      'vault',
      Math.floor(body / 4_000)
        .toString(16)
        .padStart(8, '0')
    )
    await mkdir(at, { recursive: true })
    const file = await open(join(at, String(body)), 'wx')
    await file.write(bytes)
    await file.sync()
    await file.close()
    const md5 = createHash('md5').update(bytes).digest('hex')
    await this.sql(
      `insert into vault.objects (vault_id, name, store, bodies, sizes, digests, size, etag, type, modified_at)
       values (1, $1, 'folder', array[$2::bigint], array[$3::bigint], array[$4], $3, $4, 'text/plain', now())`,
      [name, body, bytes.length, md5]
    )
    return md5
  }

  /** The vault service of this home, serving. */
  async serveVault() {
    const ports = await freePorts()
    const { home, database } = this
    const given = {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      VAULT_THREADS: '1',
      VAULT_RESERVE: '0',
    }
    const env = roleEnv({ home, database, ports, mode: 'test', env: given })
    const argv = [...loader, join(root, 'bin/role.ts'), 'vault']
    const child = spawn(process.execPath, argv, {
      cwd: root,
      env: envOf('vault', env),
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
    const control = new ControlClient({ url, key: home.secrets.vaultControlKey })
    return { url, control, stop }
  }

  async end(): Promise<void> {
    await this.database.stop()
    await forget(this.home)
    await rm(this.folder, { recursive: true, force: true })
  }
}

export async function sqlAt<T extends pg.QueryResultRow>(
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

/** The data of a home may lie outside of it. */
export async function forget(home: Home): Promise<void> {
  const data = await dataFolder(home.path)
  if (data) await rm(data, { recursive: true, force: true })
}
