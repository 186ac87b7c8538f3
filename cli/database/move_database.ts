import { addAbortListener } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimHome, claimLock, CliError, openHome, type BerthHome } from '../berth_home.js'
import { runsFromBuild } from '../paths.js'
import { readExternalServer, saveExternalServer } from '../postgres/external_server.js'
import { replaceCluster, startReplacementServer } from '../postgres/replace_cluster.js'
import { ensureDatabaseRoles } from '../postgres/database_roles.js'
import {
  databaseUrlsAt,
  selectRows,
  withDatabaseClient,
  type BerthDatabase,
} from '../postgres/connections.js'
import { findRunningDatabase, openDatabase } from '../postgres/open_database.js'
import { portsFromEnv, commonProcessEnv } from '../roles.js'
import { print, runStep } from '../print.js'
import { migrateDatabase } from '../ace_commands.js'
import { installService, berthHomePath } from '../service/install.js'
import { listInstalledUnits, systemctl } from '../service/systemd.js'
import { unitName } from '../service/units.js'
import { assertSpaceForCopy } from './disk_space.js'
import { listenForInterruption, NO_INTERRUPTION, type Interruption } from './interruption.js'
import { connectForCopy, copyTables, digestTables, type TableDigest } from './copy_tables.js'

const REMOVE_COPY_HINT =
  'If they are left from an interrupted move, drop them there: the database berth, then the roles berth, berth_app, berth_vault and berth_mail'
const POSTGRES_UNIT = unitName('postgres')
/** Programs that were just stopped may need this time to disconnect from the database. */
const DISCONNECT_TIMEOUT_MS = 5_000

export interface MoveDatabaseTarget {
  /** `host:port` */
  at: string
  /** Query string of the URL without the `?`. */
  options: string
  folder?: string
  superuser(database: string): string
  /** Makes the home use this server from now on. The old server must already be stopped. */
  adopt(home: BerthHome): Promise<void>
  /** Removes a server that was started only for the move, unless the home uses it now. */
  leave(): Promise<void>
}

/**
 * Moves all tables to another PostgreSQL server and keeps the old data. Stops all services meanwhile.
 * @param to `system`: a new server on this machine, with the distribution's programs. Otherwise the URL of a superuser,
 * which is not saved
 * @returns the exit code
 * @throws CliError if the operator manages the database, or another command uses this home. Error if the move fails
 */
export async function moveDatabase(to: string): Promise<number> {
  if (process.env.DATABASE_URL) {
    throw new CliError(
      'DATABASE_URL is set, so this database is managed by you. Move it yourself, then change DATABASE_URL'
    )
  }
  const home = await openHome(berthHomePath())
  const unlock = lockHome(home)
  const interruption = listenForInterruption()
  try {
    const isService = await moveOfHome(home, to, interruption).finally(unlock)
    return isService ? await installService() : 0
  } finally {
    interruption.stopListening()
  }
}

/**
 * No other move, upgrade, installation or `./berth up` can use the home meanwhile.
 * @returns a function that releases the locks
 */
function lockHome(home: BerthHome): () => void {
  const unlock = claimHome(home.path)
  const claimed = claimLock(join(home.path, 'upgrade.pid'))
  if (typeof claimed === 'number') {
    unlock()
    throw new CliError(`An upgrade is running (process ${claimed}). Wait until it ends`)
  }
  return () => {
    claimed()
    unlock()
  }
}

/** Returns whether Berth is installed as services, which the caller must start again. */
async function moveOfHome(
  home: BerthHome,
  to: string,
  interruption: Interruption
): Promise<boolean> {
  const ownFolder = join(home.path, to === 'system' ? 'postgres-old' : 'postgres')
  const before = readExternalServer(home)?.at ?? ownFolder
  const units = (await listInstalledUnits()).filter(
    (name) => name.endsWith('.service') && !name.includes('@')
  )
  const services = units.filter((name) => name !== POSTGRES_UNIT)
  const target = await runStep('Connect to the new server', () =>
    to === 'system' ? startSystemTarget(home) : parseMoveTarget(to)
  )
  let isCopied = false
  try {
    const running = await findRunningDatabase(home)
    if (running) await assertSpaceForCopy(running, target.folder)
    interruption.signal.throwIfAborted()
    if (services.length)
      await runStep('Stop running services', () => systemctl('stop', ...services))
    const source = await openDatabase(home)
    try {
      await moveTables(home, source, target, interruption)
      isCopied = true
    } finally {
      await source.stop()
    }
    // If the machine crashes after `adopt` has renamed the old data, `berth install` completes the move. After an
    // earlier crash, the old data stays in use.
    if (units.includes(POSTGRES_UNIT)) await systemctl('stop', POSTGRES_UNIT)
    await target.adopt(home)
  } catch (error) {
    // Removes the incomplete copy first: if the disk is full, the services need the space.
    await target.leave().catch(() => {})
    if (isCopied) await removeCopy(home, target)
    if (units.length)
      await systemctl('start', ...units).catch(({ message }: Error) => print(message))
    throw error
  }
  print(`The tables are now at ${target.at}. The old tables remain in ${before}`)
  return services.length > 0
}

/**
 * Copies all rows and compares them. After a failure or interruption, removes the copy (`removeCopy`). At the end,
 * calls `commit`, so that later signals only print a message.
 */
export async function moveTables(
  home: BerthHome,
  source: BerthDatabase,
  target: MoveDatabaseTarget,
  { signal, commit }: Pick<Interruption, 'signal' | 'commit'> = NO_INTERRUPTION
): Promise<void> {
  await assertNoOtherConnections(source)
  await assertNoQueuedJobs(source)
  await assertRoom(target)
  await assertSpaceForCopy(source, target.folder)
  signal.throwIfAborted()
  const urls = databaseUrlsAt(home, target.at, target.options)
  const moved: BerthDatabase = { ...urls, description: target.at, stop: async () => {} }
  try {
    await runStep('Create the tables on the new server', () => makeTables(home, moved, target))
    signal.throwIfAborted()
    const rows = await runStep(
      'Copy and compare',
      () => copyAndCompare(source, moved, target, signal),
      (count) => `${count} rows are equal`
    )
    if (rows === 0) throw new Error('Nothing was copied')
    // Another program may have connected during the copy, and written rows that were not copied.
    await assertNoOtherConnections(source)
    commit()
  } catch (error) {
    await removeCopy(home, target)
    throw signal.aborted ? signal.reason : error
  }
}

/**
 * Rows that other programs write during the move would be lost. Ignores autovacuum. Programs that were just stopped get
 * some time to disconnect.
 * @throws CliError with the names of connected programs
 */
export async function assertNoOtherConnections(
  { ownerUrl }: BerthDatabase,
  timeoutMs = DISCONNECT_TIMEOUT_MS
): Promise<void> {
  const names = await withDatabaseClient(ownerUrl, async (client) => {
    const giveUp = Date.now() + timeoutMs
    for (;;) {
      const { rows } = await client.query<{ name: string }>(
        `select distinct coalesce(nullif(application_name, ''), usename) as name from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and usesysid is not null`
      )
      if (rows.length === 0 || Date.now() >= giveUp) return rows.map(({ name }) => name)
      await sleep(100)
    }
  })
  if (names.length === 0) return
  throw new CliError(
    `Other programs are connected to the database (${names.join(', ')}). Stop them first`
  )
}

/**
 * Checks that the queue of the previous release contains no emails or alerts, because the move does not copy it. This
 * release's worker sends them when it starts.
 * @throws CliError if the queue contains any
 */
async function assertNoQueuedJobs({ appUrl }: BerthDatabase): Promise<void> {
  const [{ hasQueue }] = await selectRows<{ hasQueue: boolean }>(
    appUrl,
    `select to_regclass('pgboss.job') is not null as "hasQueue"`
  )
  if (!hasQueue) return
  const jobs = await selectRows(
    appUrl,
    `select 1 from pgboss.job where name in ('system-mail', 'alert-webhook')
     and state in ('created', 'retry', 'active') limit 1`
  )
  if (jobs.length === 0) return
  throw new CliError(
    'The previous release left emails in its queue. Start Berth, which sends them, and try again in 15 minutes'
  )
}

/** @throws CliError if the server is unsuitable, or if the move would overwrite data */
async function assertRoom(target: MoveDatabaseTarget): Promise<void> {
  const server = await withDatabaseClient(target.superuser('postgres'), async (client) => {
    const { rows } = await client.query<{ version: number; super: boolean; taken: string[] }>(`
      select current_setting('server_version_num')::int as version,
        current_setting('is_superuser')::bool as super,
        array(select 'database ' || datname from pg_database where datname = 'berth'
          union all select 'role ' || rolname from pg_roles
            where rolname in ('berth', 'berth_app', 'berth_vault', 'berth_mail')) as taken`)
    return rows[0]
  }).catch((error: Error) => {
    throw new CliError(`The server at ${target.at} cannot be reached: ${error.message}`)
  })
  if (server.version < 150_000) throw new CliError('Berth needs PostgreSQL 15 or newer')
  if (!server.super) throw new CliError('The role in the address must be a superuser')
  if (server.taken.length) {
    throw new CliError(
      `These already exist at ${target.at}: ${server.taken.join(', ')}. If another Berth uses them, choose another server. ${REMOVE_COPY_HINT}`
    )
  }
}

async function makeTables(
  home: BerthHome,
  moved: BerthDatabase,
  target: MoveDatabaseTarget
): Promise<void> {
  await ensureDatabaseRoles(home, target.superuser)
  // `berth upgrade --back` needs this schema: the previous release creates its queue in it, and its role may not create
  // schemas (0068).
  await withDatabaseClient(target.superuser('berth'), (client) =>
    client.query('create schema if not exists pgboss authorization berth_app')
  )
  const env = commonProcessEnv({ home, database: moved, ports: portsFromEnv(), mode: 'production' })
  const from = runsFromBuild ? 'build' : 'sources'
  await migrateDatabase({ home, database: moved, env, from, always: true })
}

/**
 * Returns the number of copied rows.
 * @throws Error with the tables that differ
 */
async function copyAndCompare(
  source: BerthDatabase,
  moved: BerthDatabase,
  target: MoveDatabaseTarget,
  signal: AbortSignal
): Promise<number> {
  const clients = await Promise.all(
    [source.ownerUrl, moved.ownerUrl, target.superuser('berth')].map(connectForCopy)
  )
  const [from, there, into] = clients
  // On an abort, closes the connections, so that this function does not wait minutes for the running statement.
  const listening = addAbortListener(signal, () => {
    for (const client of clients) client.connection.stream.destroy()
  })
  try {
    await from.query('begin isolation level repeatable read read only')
    await copyTables(from, into)
    const [was, is] = await Promise.all([digestTables(from), digestTables(there)])
    assertSameTables(was, is)
    await into.query('analyze')
    return Object.values(is).reduce((sum, table) => sum + table.rows, 0)
  } finally {
    listening[Symbol.dispose]()
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

/** @throws Error with the names of the tables that differ */
export function assertSameTables(
  was: Record<string, TableDigest>,
  is: Record<string, TableDigest>
): void {
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  // The new server may have an empty partition for a day for which the old server has none.
  const empty: TableDigest = { rows: 0, digest: '0' }
  const different = names.filter((name) => {
    const [before, after] = [was[name] ?? empty, is[name]]
    return before.rows !== after?.rows || before.digest !== after.digest
  })
  if (different.length)
    throw new Error(`These tables differ after copying: ${different.join(', ')}`)
}

/**
 * Drops everything that `moveTables` created at the target, unless the home uses it. If that fails, prints an error. A
 * server that was started for the move is removed by `leave`.
 */
export async function removeCopy(home: BerthHome, target: MoveDatabaseTarget): Promise<void> {
  if (target.folder || readExternalServer(home)?.at === target.at) return
  await dropAll(target).catch(({ message }: Error) =>
    print(`The copy at ${target.at} could not be removed: ${message}. ${REMOVE_COPY_HINT}`)
  )
}

async function dropAll(target: MoveDatabaseTarget): Promise<void> {
  await withDatabaseClient(target.superuser('postgres'), async (client) => {
    await client.query('drop database if exists berth with (force)')
    for (const role of ['berth_app', 'berth_vault', 'berth_mail', 'berth']) {
      await client.query(`drop role if exists ${role}`)
    }
  })
}

/**
 * @param address a superuser's URL, such as `postgres://postgres@db.example.com:5432?sslmode=require`. Its password
 * comes from PGPASSWORD or ~/.pgpass, because all users can see the arguments of a program
 * @throws CliError for another target, or if the address contains a password
 */
export async function parseMoveTarget(address: string): Promise<MoveDatabaseTarget> {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) {
    throw new CliError('--to needs "system", or an address: postgres://superuser@host:5432')
  }
  const url = new URL(address)
  if (url.password) {
    throw new CliError(
      'Other users can see the arguments of a command. Set the password in PGPASSWORD'
    )
  }
  const at = `${url.hostname}:${url.port || '5432'}`
  const superuser = (database: string) => {
    const copy = new URL(url)
    copy.pathname = `/${database}`
    return copy.href
  }
  const options = url.search.slice(1)
  return {
    at,
    options,
    superuser,
    adopt: (home) => saveExternalServer(home, { at, options }),
    leave: async () => {},
  }
}

async function startSystemTarget(home: BerthHome): Promise<MoveDatabaseTarget> {
  const { port, folder, stop, remove } = await startReplacementServer(home)
  const at = `127.0.0.1:${port}`
  const { databaseSuperuser: password } = home.secrets
  return {
    at,
    options: '',
    folder,
    superuser: (database) => `postgres://postgres:${password}@${at}/${database}`,
    adopt: async () => {
      await stop()
      await replaceCluster(home)
    },
    leave: async () => {
      await stop()
      await remove()
    },
  }
}
