import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder, ensureBuild } from '../../cli/build.js'
import { openHome } from '../../cli/berth_home.js'
import { installRoot } from '../../cli/paths.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { resetDatabase } from '../../cli/postgres/test_database.js'
import { findFreePorts, processSpec, commonProcessEnv } from '../../cli/roles.js'
import { migrateDatabase, waitFor200 } from '../../cli/ace_commands.js'

/** A console process with a separate database. It runs the tasks in `console.ts`. */
export interface ConsoleProcess {
  ask<Result>(what: string, given?: object): Promise<Result>
  /** Starts the web server as in production. */
  serve(): Promise<{ url: string; pid: number }>
  /** URL of the database, for the role of the console. */
  databaseUrl: string
  /** URL of the database, for the role that owns the tables. */
  ownerUrl: string
}

/** Starts a console process with an empty database and calls `work`. Then stops both and deletes their files. */
export async function withConsoleProcess<Result>(
  name: string,
  work: (console: ConsoleProcess) => Promise<Result>
): Promise<Result> {
  const home = await openHome(join(installRoot, '.berth', name))
  const database = await openDatabase(home, { env: {} })
  try {
    await resetDatabase(home, database)
    const told = { PATH: process.env.PATH, HOST: '127.0.0.1', LOG_LEVEL: 'error' }
    const ports = await findFreePorts()
    const env = commonProcessEnv({
      home,
      database,
      ports,
      mode: 'production',
      local: {},
      env: told,
    })
    await ensureBuild()
    await migrateDatabase({ home, database, env, from: 'build', always: true })
    const worker = processSpec('worker', buildFolder, env)
    const [program, ...argv] = worker.argv.slice(0, -2)
    const child = spawn(program, [...argv, join(buildFolder, 'bench/billing/console.js')], {
      cwd: installRoot,
      env: worker.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    let count = 0
    const ask = <Answer>(what: string, given: object = {}) =>
      new Promise<Answer>((resolve, reject) => {
        const id = ++count
        const hear = (answer: { id: number; result: Answer; error?: string }) => {
          if (answer.id !== id) return
          child.off('message', hear).off('exit', gone)
          if (answer.error === undefined) resolve(answer.result)
          else reject(new Error(answer.error))
        }
        const gone = () => reject(new Error('The console of the bench ended'))
        child.on('message', hear).once('exit', gone)
        child.send({ id, what, given })
      })
    let web: ChildProcess | undefined
    const serve = async () => {
      const { argv, env: its } = processSpec('web', buildFolder, env)
      const [command, ...rest] = argv
      web = spawn(command, rest, {
        cwd: installRoot,
        env: its,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const url = `http://127.0.0.1:${ports.web}`
      if (!(await waitFor200(`${url}/health`, 120_000))) throw new Error('The pages did not start')
      return { url, pid: web.pid! }
    }
    try {
      await ask('hello')
      const databaseUrl = worker.env!.DATABASE_URL!
      return await work({ ask, serve, databaseUrl, ownerUrl: database.ownerUrl })
    } finally {
      web?.kill('SIGKILL')
      child.kill('SIGKILL')
      await ended
    }
  } finally {
    await database.stop()
    const data = await findRealPostgresFolder(home.path)
    if (data) await rm(data, { recursive: true, force: true })
    await rm(home.path, { recursive: true, force: true })
  }
}
