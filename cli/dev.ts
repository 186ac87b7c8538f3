import { join } from 'node:path'
import { backupSource, openBackupSocket } from './backup/socket.js'
import { claimHome, openHome } from './home.js'
import { Lifetime } from './lifetime.js'
import { edgeRole, edgeService } from './local_edge.js'
import { startLocalHost } from './local_host.js'
import { loader, root } from './paths.js'
import { openDatabase } from './postgres.js'
import {
  assertPortsFree,
  choosePorts,
  envOf,
  publicServices,
  roleEnv,
  roleNames,
  startable,
  type RoleName,
} from './roles.js'
import { print, step } from './print.js'
import { migrate } from './services.js'
import { Supervisor, type Role } from './supervisor.js'
import { firstRun } from './up.js'

/**
 * Everything from the sources: the web process with hot reload, the others started again when they
 * end. All of them run as whoever started this, without users of their own.
 */
export async function dev(): Promise<number> {
  const life = new Lifetime()
  const home = await openHome()
  life.atEnd(claimHome(home.path))
  await life.during(async () => {
    const ports = choosePorts()
    await assertPortsFree(ports, process.env.HOST ?? '0.0.0.0')
    const edge = edgeService(home)
    const localHost = startLocalHost(home, life, { services: publicServices(ports, edge) })
    const database = await step('Start PostgreSQL', () => openDatabase(home))
    life.atEnd(() => database.stop())
    const local = { ...localHost.services, edge }
    const env = roleEnv({ home, database, ports, mode: 'development', local })
    await step('Update the tables', () =>
      migrate({ home, database, env, from: 'sources', always: true })
    )
    await firstRun(home, env, { demo: false, hostIsUp: false }, 'sources')
    print('Development: all processes run as the user that started them')
    const supervisor = new Supervisor({ logs: home.logs, say: print, news: (line) => line })
    life.atEnd(() => supervisor.stop())
    life.atEnd(await openBackupSocket(home, backupSource))
    for (const name of startable(roleNames, env)) await supervisor.start(devRole(name, env))
    if (await localHost.ready) {
      const caddy = await edgeRole(home, edge)
      if (caddy) await supervisor.start(caddy)
      await firstRun(home, env, { demo: false, hostIsUp: true }, 'sources')
    }
    await life.stopAsked
  })
  return 0
}

function devRole(name: RoleName, env: NodeJS.ProcessEnv): Role {
  const argv =
    name === 'web'
      ? [process.execPath, 'ace.js', 'serve', '--hmr', '--no-clear']
      : [process.execPath, ...loader, join(root, 'bin/role.ts'), name]
  return { name, argv, env: envOf(name, env), cwd: root }
}
