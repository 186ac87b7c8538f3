import { join } from 'node:path'
import { sourceBackupServerCommand, listenOnBackupSocket } from './backup/socket.js'
import { claimHome, openHome } from './berth_home.js'
import { pageTypesCheck } from './check.js'
import { CleanupStack } from './cleanup_stack.js'
import { createEdgeProcessSpec, describeLocalEdge } from './local_edge.js'
import { startIncusHost } from './incus_host.js'
import { typescriptLoaderArgs, installRoot } from './paths.js'
import { openDatabase } from './postgres.js'
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
import { print, runStep } from './print.js'
import { migrateDatabase } from './ace_commands.js'
import { runProgram } from './run_program.js'
import { Supervisor, type ProcessSpec } from './supervisor.js'
import { runFirstRunSteps } from './up.js'

/**
 * Runs everything from the sources: web with hot reload, and the other processes with restarts. All run as
 * the current user.
 */
export async function runDevCommand(): Promise<number> {
  const life = new CleanupStack()
  const home = await openHome()
  life.atEnd(claimHome(home.path))
  await life.during(async () => {
    const ports = portsFromEnv()
    await assertPortsFree(ports, process.env.HOST ?? '0.0.0.0')
    const edge = describeLocalEdge(home)
    const localHost = startIncusHost(home, life, { services: publicServices(ports, edge) })
    const database = await runStep('Start PostgreSQL', () => openDatabase(home))
    life.atEnd(() => database.stop())
    const local = { ...localHost.services, edge }
    const env = commonProcessEnv({ home, database, ports, mode: 'development', local })
    await runStep('Update the tables', () =>
      migrateDatabase({ home, database, env, from: 'sources', always: true })
    )
    await runFirstRunSteps(home, env, { demo: false, hostIsUp: false }, 'sources')
    print('Development: all processes run as the user that started them')
    const supervisor = new Supervisor({
      logs: home.logs,
      report: print,
      summarizeLine: (line) => line,
    })
    life.atEnd(() => supervisor.stop())
    life.atEnd(await listenOnBackupSocket(home, sourceBackupServerCommand))
    for (const name of startableRoles(roleNames, env)) await supervisor.start(devRole(name, env))
    // Nothing waits for this: only editors read these types.
    void runProgram([process.execPath, ...pageTypesCheck.argv], {
      env: { ...process.env, ...pageTypesCheck.env },
    }).then(({ code, output }) => {
      if (code) print(`${pageTypesCheck.title} could not be written: ${output.trim()}`)
    })
    if (await localHost.ready) {
      const caddy = await createEdgeProcessSpec(home, edge)
      if (caddy) await supervisor.start(caddy)
      await runFirstRunSteps(home, env, { demo: false, hostIsUp: true }, 'sources')
    }
    await life.stopRequested
  })
  return 0
}

function devRole(name: RoleName, env: NodeJS.ProcessEnv): ProcessSpec {
  const argv =
    name === 'web'
      ? [process.execPath, 'ace.js', 'serve', '--hmr', '--no-clear']
      : [process.execPath, ...typescriptLoaderArgs, join(installRoot, 'bin/role.ts'), name]
  return { name, argv, env: selectProcessEnv(name, env), cwd: installRoot }
}
