import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readHome, StateFile, type BerthHome } from '../../cli/berth_home.js'
import { assembleRelease } from '../../cli/debian_package/build.js'
import { readReleaseManifest } from '../../cli/paths.js'
import { buildFolder } from '../../cli/build.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { findRunningDatabase } from '../../cli/postgres/open_database.js'
import { withDatabaseClient } from '../../cli/postgres/connections.js'
import { findFreePorts, type ProcessPorts } from '../../cli/roles.js'
import { runOrThrow, runProgram } from '../../cli/run_program.js'
import { fetchProcessReports, type ProcessReport } from '../../packages/telemetry/metrics.js'
import { Caller } from '../console.js'
import { Terminal } from './load.js'

/**
 * A running `./berth up` of the current build, with a separate home and without a host. Tests upgrade it to other
 * releases.
 */
export interface TestInstallation {
  home: BerthHome
  url: string
  ports: ProcessPorts
  said(): string
  pid: number
  berth(...argv: string[]): Promise<{ code: number; output: string }>
  /** Starts a command without waiting for it. The caller must stop it. */
  begin(...argv: string[]): ReturnType<typeof spawn>
  reports(): Promise<ProcessReport[]>
  /** Runs SQL as the role that owns the tables. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  administrator(): Promise<Caller>
  /** Creates a terminal on this machine. It is not open yet. */
  terminal(caller: Caller): Promise<Terminal>
  stop(): Promise<void>
}

/** Differences between a test release and the current build. */
export interface Difference {
  version: string
  /** Additional migrations: their source code by name. */
  migrations?: Record<string, string>
  /** Content of the file `release.txt`, which the release serves at `/release.txt`. */
  words?: string
}

/**
 * Keeps the status of the host active. Without Incus on this machine, the worker would mark the host as offline and
 * close its terminals.
 */
const STAY_ACTIVE_SQL = `
  create or replace function stay_active() returns trigger language plpgsql as $$
  begin
    new.status := 'active';
    return new;
  end $$;
  create or replace trigger stay_active before update on host_instances
  for each row execute function stay_active()`

/** Starts Berth from the build, which must exist. */
export async function startTestInstallation(): Promise<TestInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-upgrade-'))
  await chmod(folder, 0o755)
  const path = join(folder, 'home')
  const ports = await findFreePorts()
  const url = `http://127.0.0.1:${ports.web}`
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    BERTH_HOME: path,
    HOST: '127.0.0.1',
    APP_URL: url,
    ROLES: 'web,gateway,vault,mail,worker',
    LOG_LEVEL: 'warn',
    ...Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [
        name === 'web' ? 'PORT' : `${name.toUpperCase()}_PORT`,
        String(port),
      ])
    ),
  }
  const main = join(buildFolder, 'cli/main.js')
  const begin = (...argv: string[]) =>
    spawn(process.execPath, [main, ...argv], {
      cwd: '/',
      // Other commands get only the home's path. `./berth upgrade` reads all other settings from the running process.
      env: argv[0] === 'up' ? env : { PATH: process.env.PATH, BERTH_HOME: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  let output = ''
  const up = begin('up', '--yes')
  const ended = once(up, 'exit')
  for (const stream of [up.stdout!, up.stderr!]) stream.on('data', (text) => (output += text))
  const stop = async () => {
    up.kill('SIGTERM')
    await ended
    const data = await findRealPostgresFolder(path)
    if (data) await rm(data, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + 600_000
  while (!output.includes('Ready after')) {
    if (up.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`It did not start:\n${output}`)
    }
    await new Promise((done) => setTimeout(done, 100))
  }
  const home = readHome(path)
  const { ownerUrl } = (await findRunningDatabase(home))!
  const sql = <Row>(text: string, values: unknown[] = []) =>
    withDatabaseClient(ownerUrl, async (client) => (await client.query(text, values)).rows as Row[])
  return {
    home,
    url,
    ports,
    pid: up.pid!,
    begin,
    sql,
    stop,
    said: () => output,
    reports: () => fetchProcessReports(join(path, 'metrics')),
    async berth(...argv) {
      return runProgram([process.execPath, main, ...argv], {
        cwd: '/',
        env: { PATH: process.env.PATH, BERTH_HOME: path },
      })
    },
    async administrator() {
      const text = await readFile(join(path, 'first-admin.json'), 'utf8')
      const { email, password } = JSON.parse(text) as { email: string; password: string }
      const caller = new Caller(url)
      await caller.open('/admin/login')
      await caller.call('POST', '/admin/login', { email, password })
      return caller
    },
    async terminal(caller) {
      const machine = new StateFile(path).get('machine')
      await sql(STAY_ACTIVE_SQL)
      const [{ id }] = await sql<{ id: string }>(
        `insert into host_instances (name, ip, status, is_local, machine_id)
         values ('here', '127.0.0.1', 'active', true, $1)
         on conflict (name) do update set ip = excluded.ip returning id`,
        [machine]
      )
      const grant = async () => {
        const given = { host_instance_id: Number(id) }
        return (await caller.call<{ grant: string }>('POST', '/admin/terminal/grants', given)).grant
      }
      return new Terminal(`ws://127.0.0.1:${ports.gateway}/admin/terminal`, url, caller, grant)
    },
  }
}

/**
 * Writes a release to which an installation can be upgraded. Returns its folder.
 * @param like folder of the release that it is based on. Default: the current build
 */
export async function writeTestRelease(
  { version, migrations = {}, words }: Difference,
  like?: string
): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'berth-release-')), 'berth')
  if (like) await runOrThrow(['cp', '-al', like, folder])
  else await assembleRelease(folder)
  // Replaces files and does not write into them, because they may be hard links to files of another release.
  const put = async (path: string, text: string) => {
    await rm(join(folder, path), { force: true })
    await writeFile(join(folder, path), text)
  }
  await put('release.json', JSON.stringify({ ...readReleaseManifest(folder), version }))
  for (const file of ['package.json', 'build/package.json']) {
    const described = JSON.parse(await readFile(join(folder, file), 'utf8')) as object
    await put(file, JSON.stringify({ ...described, version }))
  }
  for (const [name, text] of Object.entries(migrations)) {
    await put(`build/database/migrations/${name}.js`, text)
  }
  if (words) await put('build/public/release.txt', words)
  return folder
}
