import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { chown, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, StateFile, type BerthHome } from '../berth_home.js'
import { listHardLinkedFiles, separateHardLinkedFiles } from '../database/hard_linked_files.js'
import { findFreePort } from '../find_free_port.js'
import { print } from '../print.js'
import { runOrThrow, withParentDeathSignal } from '../run_program.js'
import type { ProcessSpec } from '../supervisor.js'
import { syncPath } from '../sync_path.js'
import { ensureSystemUser, type SystemUser } from '../system_users.js'
import {
  CLUSTER_FOLDER_NAME,
  ensureArchive,
  ensureClusterFolder,
  finishReplacingCluster,
  readPostmasterFile,
  POSTGRES_SYSTEM_USER,
  type PostgresCluster,
} from './cluster_folder.js'
import { localDatabaseUrl, withDatabaseClient } from './connections.js'
import { readExternalServer } from './external_server.js'
import {
  DISTRIBUTION_FOLDER,
  PROGRAMS_LINK_NAME,
  ensureDistributionPrograms,
  ensurePrograms,
  isOlderThan,
  protectFromAutoremove,
} from './programs.js'
import {
  archiveCommand,
  commonServerSettings,
  environmentWithoutSecrets,
  readLastLines,
} from './server_command.js'

interface PostgresServer {
  home: BerthHome
  /** Folder that contains `data/`. It belongs to the system user that runs the server. */
  clusterFolder: string
  data: string
  native: string
  account?: SystemUser
  fast: boolean
}

const START_TIMEOUT_MS = 120_000

/** @param programs programs with which missing data is created. Existing data keeps its programs */
export async function preparePostgresServer(
  home: BerthHome,
  { fast = false, folderName = CLUSTER_FOLDER_NAME, programs = '' } = {}
): Promise<PostgresServer> {
  const account =
    process.getuid?.() === 0 ? await ensureSystemUser(POSTGRES_SYSTEM_USER) : undefined
  const clusterFolder = await ensureClusterFolder(home, folderName, account)
  const data = join(clusterFolder, 'data')
  const isNew = !existsSync(join(data, 'PG_VERSION'))
  const native = (isNew && programs) || (await ensurePrograms(clusterFolder, account))
  if (account && dirname(native) === DISTRIBUTION_FOLDER) await protectFromAutoremove(native)
  await ensureArchive(clusterFolder, account)
  return { home, clusterFolder, data, native, account, fast }
}

export async function prepareClusterForRestore(home: BerthHome): Promise<PostgresCluster> {
  const { clusterFolder, native, account } = await preparePostgresServer(home)
  return { clusterFolder, native, account }
}

/** Also true while the server starts or stops. */
export function isServerRunning(data: string): boolean {
  const serverProcess = readPostmasterFile(data)
  return serverProcess !== undefined && isPostgres(serverProcess.pid)
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false
  }
}

export async function isServerResponding(home: BerthHome, port: number): Promise<boolean> {
  return withDatabaseClient(
    localDatabaseUrl('postgres', home.secrets.databaseSuperuser, port, 'postgres'),
    () => Promise.resolve(true)
  ).catch(() => false)
}

/**
 * Waits while the server is starting or stopping. Returns its port, or undefined if it does not run.
 * @throws CliError if a server runs but does not respond in time
 */
export async function waitForRunningServer({
  home,
  data,
}: PostgresServer): Promise<number | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline) {
    const serverProcess = readPostmasterFile(data)
    if (!serverProcess || !isPostgres(serverProcess.pid)) return undefined
    if (serverProcess.port && (await isServerResponding(home, serverProcess.port)))
      return serverProcess.port
    await sleep(200)
  }
  throw new CliError(
    `A PostgreSQL runs on ${data} but does not respond. See ${join(home.logs, 'postgres.log')}`
  )
}

export async function startPostgresServer(
  server: PostgresServer
): Promise<{ port: number; stop: () => Promise<void> }> {
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
    // The server gets a separate process group, because Ctrl-C must not stop the database before the processes that use
    // it.
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
    throw new Error(`PostgreSQL did not start\n${readLastLines(join(home.logs, 'postgres.log'))}`)
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

/** PostgreSQL must not share files with other data. The server must be stopped. */
async function separateFiles(data: string): Promise<void> {
  const count = await separateHardLinkedFiles(data)
  if (count) print(linkedFilesMessage(count, 'They are separate again.'))
}

/** Undefined if no database file is hard-linked. The next start of the server separates such files. */
export async function hardLinkedFilesWarning(home: BerthHome): Promise<string | undefined> {
  const data = join(home.path, 'postgres', 'data')
  if (readExternalServer(home) || !existsSync(data)) return undefined
  // The server may remove a file while the files are being listed. That must not fail the check.
  const { length } = await listHardLinkedFiles(await realpath(data)).catch(() => [])
  return length
    ? linkedFilesMessage(length, 'Stop Berth and start it again to separate them.')
    : undefined
}

function linkedFilesMessage(count: number, next: string): string {
  return `An earlier upgrade hard-linked ${count} database files to identical files. ${next} Data written in the meantime may be damaged: if the database reports errors, restore a backup (docs/runbooks/restore.md).`
}

/**
 * Returns and saves a port: the one that the server used last if it is free, so that stored addresses stay valid.
 * Otherwise another free port.
 */
async function choosePort(home: BerthHome): Promise<number> {
  const state = new StateFile(home.path)
  const port = await findFreePort(Number(state.get('postgresPort') ?? 0))
  state.set('postgresPort', String(port))
  return port
}

function programOf(
  { native, clusterFolder, data, fast }: PostgresServer,
  port: number
): Omit<ProcessSpec, 'name'> {
  const settings = [
    ...commonServerSettings(native),
    'archive_mode=on',
    `archive_command=${archiveCommand(join(clusterFolder, 'archive'))}`,
    ...(fast ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ]
  const options = settings.flatMap((setting) => ['-c', setting])
  return {
    argv: [join(native, 'bin/postgres'), `--port=${port}`, '-D', data, ...options],
    env: environmentWithoutSecrets(),
    cwd: clusterFolder,
  }
}

/**
 * For systemd. Creates missing data with the distribution's programs. A server that is already running keeps its port.
 */
export async function createServerSpec(home: BerthHome): Promise<ProcessSpec & { data: string }> {
  await finishReplacingCluster(home)
  const hasData = existsSync(join(home.path, CLUSTER_FOLDER_NAME, 'data/PG_VERSION'))
  const programs = hasData ? '' : await ensureDistributionPrograms()
  const server = await preparePostgresServer(home, { programs })
  if (!existsSync(join(server.data, 'PG_VERSION'))) await createCluster(server)
  const running = await waitForRunningServer(server)
  if (!running) await separateFiles(server.data)
  const port = running ?? (await choosePort(home))
  return { name: 'postgres', ...programOf(server, port), as: server.account, data: server.data }
}

async function createCluster({
  home,
  clusterFolder,
  data,
  native,
  account,
  fast,
}: PostgresServer): Promise<void> {
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
    // With the `builtin` locale provider, since PostgreSQL 17, text is sorted in the same way on every machine. With
    // others, the order depends on the C library.
    ...(isOlderThan(17, native)
      ? ['--locale=C.UTF-8']
      : ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']),
    ...(fast ? ['--no-sync'] : []),
  ]
  try {
    await runOrThrow(account ? withParentDeathSignal(argv, 'TERM', account) : argv, {
      cwd: clusterFolder,
      env: environmentWithoutSecrets(),
    })
  } finally {
    await rm(passwordFile, { force: true })
  }
  const link = join(clusterFolder, PROGRAMS_LINK_NAME)
  await rm(link, { force: true })
  if (native.startsWith(DISTRIBUTION_FOLDER)) await symlink(native, link)
  await rename(draft, data)
  if (!fast) await syncPath(clusterFolder)
}

async function becomesReady(home: BerthHome, port: number, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    if (await isServerResponding(home, port)) return true
    await sleep(50)
  }
  return false
}
