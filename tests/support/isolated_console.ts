import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFolder } from '../../cli/build.js'
import { openHome } from '../../cli/berth_home.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { findFreePorts, commonProcessEnv } from '../../cli/roles.js'
import { migrateDatabase, waitFor200 } from '../../cli/ace_commands.js'

/** A console with a separate database and process. It affects neither hosts nor other tests. */
export interface IsolatedConsole {
  url: string
  databaseUrl: string
  /** Returns the bytes of heap and external memory that are in use after a garbage collection. */
  measureMemory(): Promise<number>
  alive(): boolean
  /** Stops all processes of the console's PostgreSQL (SIGSTOP). `thaw` continues them. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  stop(): Promise<void>
}

const REPORT_MEMORY_PROGRAM = `process.on('message', () => {
  gc()
  const { heapUsed, external } = process.memoryUsage()
  process.send(heapUsed + external)
})`

/**
 * Starts a `web` process from the build folder.
 * @param change environment variables to add or replace
 */
export async function startIsolatedConsole(
  change: NodeJS.ProcessEnv = {}
): Promise<IsolatedConsole> {
  const home = await openHome(join(await mkdtemp(join(tmpdir(), 'berth-console-')), 'home'))
  const database = await openDatabase(home, { fast: true, env: {} })
  const ports = await findFreePorts()
  const url = `http://127.0.0.1:${ports.web}`
  const given = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    LOG_LEVEL: process.env.FUZZ_CALL ? 'error' : 'fatal',
    APP_URL: url,
  }
  const env = {
    ...commonProcessEnv({ home, database, ports, mode: 'test', env: { ...given, ...change } }),
    BERTH_ROLE: 'web',
  }
  await migrateDatabase({ home, database, env, from: 'build', always: true })
  const more = [
    '--expose-gc',
    '--import',
    `data:text/javascript,${encodeURIComponent(REPORT_MEMORY_PROGRAM)}`,
  ]
  const child = spawn(process.execPath, [...more, join(buildFolder, 'bin/role.js'), 'web'], {
    cwd: buildFolder,
    env,
    stdio: ['ignore', process.env.FUZZ_CALL ? 'inherit' : 'ignore', 'inherit', 'ipc'],
  })
  const alive = () => child.exitCode === null && child.signalCode === null
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    const data = (await findRealPostgresFolder(home.path))!
    const main = Number(
      (await readFile(join(data, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]
    )
    const children = await readFile(`/proc/${main}/task/${main}/children`, 'utf8')
    for (const pid of [main, ...children.trim().split(' ').map(Number)]) process.kill(pid, name)
  }
  const stop = async () => {
    if (alive()) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await database.stop()
    const data = await findRealPostgresFolder(home.path)
    if (data) await rm(data, { recursive: true, force: true })
    await rm(join(home.path, '..'), { recursive: true, force: true })
  }
  if (!(await waitFor200(`${url}/health`, 300_000))) {
    await stop()
    throw new Error('The console of a test did not start')
  }
  const databaseUrl = database.ownerUrl
  return {
    url,
    databaseUrl,
    alive,
    stop,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async measureMemory() {
      child.send('memory')
      // Ignores messages that are objects, which AdonisJS also sends to its parent process.
      for (;;) {
        const [told] = (await once(child, 'message')) as [unknown]
        if (typeof told === 'number') return told
      }
    },
  }
}
