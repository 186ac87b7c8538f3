import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { buildFolder } from './build.js'
import { StateFile, type BerthHome } from './berth_home.js'
import { installRoot } from './paths.js'
import { registerThisMachine } from './register_this_machine.js'
import { migrationEnv } from './roles.js'
import type { BerthDatabase } from './postgres/connections.js'
import { runOrThrow, runProgram } from './run_program.js'

export function aceArgv(from: 'build' | 'sources', command: string[]): string[] {
  return from === 'build'
    ? [process.execPath, join(buildFolder, 'bin/console.js'), ...command]
    : [process.execPath, join(installRoot, 'ace.js'), ...command]
}

/**
 * Runs new migrations and registers this machine. Skips the ace command if the names of the migrations are the same as
 * when it last succeeded. `always`: runs it in any case, as for external databases.
 */
export async function migrateDatabase(options: {
  home: BerthHome
  database: BerthDatabase
  env: NodeJS.ProcessEnv
  from: 'build' | 'sources'
  always: boolean
}): Promise<'migrated' | 'unchanged'> {
  const { home, database, env, from, always } = options
  const state = new StateFile(home.path)
  const folder = join(from === 'build' ? buildFolder : installRoot, 'database/migrations')
  const files = await readdir(folder).catch(() => [])
  const names = files.map((file) => file.replace(/\..*$/, ''))
  const wanted = createHash('sha256').update(names.sort().join('\n')).digest('hex')
  if (!always && state.get('migrations') === wanted) {
    await registerThisMachine(home, database, env)
    return 'unchanged'
  }
  const cwd = from === 'build' ? buildFolder : installRoot
  await runOrThrow(aceArgv(from, ['migration:run', '--connection=owner', '--force']), {
    env: migrationEnv(env, database),
    cwd,
  })
  state.set('migrations', wanted)
  await registerThisMachine(home, database, env)
  return 'migrated'
}

/**
 * Returns undefined if this version of Berth has no such command.
 * @throws Error if the command fails
 */
export async function runAceIfExists(
  from: 'build' | 'sources',
  command: string[],
  env: NodeJS.ProcessEnv
): Promise<{ output: string } | undefined> {
  const { code, output } = await runProgram(aceArgv(from, command), { env })
  if (code === 0) return { output }
  if (/Command ".*" is not defined/.test(output)) return undefined
  throw new Error(`${command[0]} ended with code ${code}\n${output.trim()}`)
}

/** Polls a URL until it responds with 200. Returns false after `within` milliseconds, or if `signal` aborts. */
export async function waitFor200(
  url: string,
  within: number,
  signal?: AbortSignal
): Promise<boolean> {
  const deadline = Date.now() + within
  while (Date.now() < deadline && !signal?.aborted) {
    const ok = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
      async (response) => {
        await response.body?.cancel()
        return response.status === 200
      },
      () => false
    )
    if (ok) return true
    await new Promise((done) => setTimeout(done, 100))
  }
  return false
}
