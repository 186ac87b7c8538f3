import { join } from 'node:path'
import { sourceBackupServerCommand, listenOnBackupSocket } from './backup/socket.js'
import { claimHome, openHome } from './berth_home.js'
import { pageTypesCheck } from './check.js'
import { CleanupStack } from './cleanup_stack.js'
import { DevProcesses, hotReloadArgs, watchFolders } from './dev_processes.js'
import { createCaddyProcessSpec, describeLocalEdge } from './local_edge.js'
import { startIncusHost } from './incus_host.js'
import { typescriptLoaderArgs, installRoot } from './paths.js'
import { openDatabase } from './postgres/open_database.js'
import {
  assertPortsFree,
  portsFromEnv,
  selectProcessEnv,
  publicServices,
  commonProcessEnv,
  roleNames,
  startableRoles,
  type RoleName,
} from './roles.js'
import { formatDuration, print, runStep } from './print.js'
import { migrateDatabase, waitFor200 } from './ace_commands.js'
import { runProgram } from './run_program.js'
import { Supervisor, type ProcessSpec } from './supervisor.js'
import { runFirstRunSteps } from './up.js'

const sourceFolders = ['app', 'bin', 'config', 'database', 'packages', 'providers', 'start']

/**
 * Runs all processes of Berth from the sources, as the current user. After a change, pages and controllers reload,
 * other processes restart, and new migrations run.
 */
export async function runDevCommand(): Promise<number> {
  const started = performance.now()
  const life = new CleanupStack()
  const home = await openHome()
  life.atEnd(claimHome(home.path))
  await life.during(async () => {
    const ports = portsFromEnv()
    const host = process.env.HOST ?? '0.0.0.0'
    await assertPortsFree(ports, host)
    const edge = describeLocalEdge(home)
    const localHost = startIncusHost(home, life, { services: publicServices(ports, edge) })
    const database = await runStep('Start PostgreSQL', () => openDatabase(home))
    life.atEnd(() => database.stop())
    const local = { ...localHost.services, edge }
    const env = commonProcessEnv({ home, database, ports, mode: 'development', local })
    const always = Boolean(process.env.DATABASE_URL)
    const migrate = () => migrateDatabase({ home, database, env, from: 'sources', always })
    await runStep('Update the tables', migrate, (outcome) => outcome)
    await runFirstRunSteps(home, env, { demo: false, hostIsUp: false }, 'sources')
    print('Development: all processes run as the user that started them')
    const supervisor = new Supervisor({
      logs: home.logs,
      report: print,
      summarizeLine: logLineForDevelopers,
      stopTimeoutMs: 3_000,
      maxRecentLines: 60,
    })
    const processes = new DevProcesses({
      supervisor,
      report: print,
      web: { host, port: ports.web },
    })
    life.atEnd(() => supervisor.stop())
    life.atEnd(() => processes.stop())
    life.atEnd(await listenOnBackupSocket(home, sourceBackupServerCommand))
    life.atEnd(watchSources(processes, migrate))

    // The developer waits for the console's page, so the web process starts first.
    const [web, ...others] = startableRoles(roleNames, env)
    await processes.start(devProcess(web, env))
    if (await respondsOrFails(processes, `http://127.0.0.1:${ports.web}/login`)) {
      print(`${env.APP_URL} is ready after ${formatDuration(performance.now() - started)}`)
    }
    for (const name of others) await processes.start(devProcess(name, env))
    // Only editors read the types that this writes, so nothing waits for them.
    void runProgram([process.execPath, ...pageTypesCheck.argv], {
      env: { ...process.env, ...pageTypesCheck.env },
    }).then(({ code, output }) => {
      if (code) print(`${pageTypesCheck.title} could not be written: ${output.trim()}`)
    })
    if (await localHost.ready) {
      const caddy = await createCaddyProcessSpec(home, edge)
      if (caddy) await supervisor.start(caddy)
      await runFirstRunSteps(home, env, { demo: false, hostIsUp: true }, 'sources')
    }
    await life.stopRequested
  })
  return 0
}

function devProcess(name: RoleName, env: NodeJS.ProcessEnv): ProcessSpec {
  const role = [join(installRoot, 'bin/role.ts'), name]
  return {
    name,
    argv: [process.execPath, ...typescriptLoaderArgs, ...hotReloadArgs, ...role],
    env: { ...selectProcessEnv(name, env), DEV_MODE: 'true' },
    cwd: installRoot,
  }
}

function watchSources(processes: DevProcesses, migrate: () => Promise<string>): () => void {
  const folders = sourceFolders.map((folder) => join(installRoot, folder))
  let migrating: Promise<void> = Promise.resolve()
  return watchFolders(folders, (files) => {
    const changed = files.filter((file) => file.includes('/database/migrations/'))
    if (changed.length) {
      migrating = migrating
        .then(() => runStep('Update the tables', migrate, describeMigration))
        .then(
          () => {},
          (error: Error) => print(error.message)
        )
    }
    void migrating.then(() => processes.onChange(files))
  })
}

function describeMigration(outcome: string): string {
  return outcome === 'migrated' ? outcome : 'nothing new: a changed migration does not run again'
}

async function respondsOrFails(processes: DevProcesses, url: string): Promise<boolean> {
  const failed = new AbortController()
  const looking = setInterval(() => processes.hasFailed('web') && failed.abort(), 100)
  const responds = await waitFor200(url, 60_000, failed.signal)
  clearInterval(looking)
  return responds
}

function logLineForDevelopers(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { stack?: string } }
    return err?.stack ? `${msg}: ${err.stack}` : msg
  } catch {
    return line
  }
}
