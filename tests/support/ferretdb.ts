import { ensureGo } from '../../cli/host/go_toolchain.js'
import { runProgram } from '../../cli/run_program.js'
import { eventually } from '#tests/support/eventually'
import { findFreePort } from '#tests/support/find_free_port'
import { quickGoEnv, serverProgramCachePath } from '#tests/support/server_program_cache_path'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const GO_MODULE = 'github.com/FerretDB/FerretDB'
const FERRETDB_VERSION = 'v1.24.0'
/** Builds stay here between runs, because building takes minutes. */
const CACHE_FOLDER = serverProgramCachePath(`ferretdb-${FERRETDB_VERSION}`)

/**
 * Returns the path of FerretDB, a server that speaks MongoDB's protocol over SQLite. Go builds it from source.
 * It supports documents and users, but no roles, views or expiring documents.
 * @throws with the reason if it cannot be built
 */
export async function ensureFerretdb(): Promise<string> {
  const program = join(CACHE_FOLDER, 'ferretdb')
  if (existsSync(program)) return program
  const go = await ensureGo()
  const place = await mkdtemp(join(tmpdir(), 'ferretdb-'))
  try {
    const env = { ...process.env, HOME: place, ...quickGoEnv }
    const say = async (argv: string[], cwd: string) => {
      const { code, output } = await runProgram(argv, { env, cwd })
      if (code !== 0) throw new Error(`FerretDB cannot be built: ${output.trim().slice(-500)}`)
      return output
    }
    await say([go, 'mod', 'init', 'probe'], place)
    const told = await say(
      [go, 'mod', 'download', '-json', `${GO_MODULE}@${FERRETDB_VERSION}`],
      place
    )
    const folder = /"Dir": "([^"]+)"/.exec(told)?.[1]
    if (!folder) throw new Error('FerretDB cannot be built: Go does not say where its sources are')
    const sources = join(place, 'sources')
    await cp(folder, sources, { recursive: true })
    // The release process of FerretDB writes this file. Without it, the module does not compile.
    await writeFile(join(sources, 'build/version/version.txt'), FERRETDB_VERSION)
    await mkdir(join(place, 'made'))
    await say([go, 'build', '-o', join(place, 'made/ferretdb'), './cmd/ferretdb'], sources)
    await chmod(join(place, 'made/ferretdb'), 0o755)
    await mkdir(join(CACHE_FOLDER, '..'), { recursive: true })
    await cp(join(place, 'made'), `${CACHE_FOLDER}.${process.pid}`, { recursive: true })
    await rename(`${CACHE_FOLDER}.${process.pid}`, CACHE_FOLDER).catch((error: unknown) => {
      if (!existsSync(CACHE_FOLDER)) throw error
    })
    return program
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

export interface Ferretdb {
  port: number
  /** The only user, in the `admin` database. */
  username: string
  password: string
  url: string
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startFerretdb(username: string): Promise<Ferretdb> {
  const program = await ensureFerretdb()
  const folder = await mkdtemp(join(tmpdir(), 'ferretdb-data-'))
  const port = await findFreePort()
  const password = 'for-tests-1'
  let end = async () => {}
  const start = async () => {
    const argv = [
      '--handler=sqlite',
      `--sqlite-url=file:${folder}/`,
      `--state-dir=${folder}`,
      `--listen-addr=127.0.0.1:${port}`,
      '--debug-addr=-',
      '--telemetry=disable',
      '--log-level=error',
      '--test-enable-new-auth=true',
      '--setup-database=admin',
      `--setup-username=${username}`,
      `--setup-password=${password}`,
    ]
    const child = spawn(program, argv, { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    end = async () => {
      if (child.exitCode === null && child.kill('SIGKILL')) await ended
    }
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          if (child.exitCode !== null) reject(new Error('FerretDB ended'))
          const socket = connect(port, '127.0.0.1')
          socket.once('connect', () => resolve(void socket.destroy()))
          socket.once('error', reject)
        })
    )
  }
  await start()
  return {
    port,
    username,
    password,
    url: `mongodb://${username}:${password}@127.0.0.1:${port}/?authSource=admin`,
    kill: () => end(),
    start,
    async stop() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
