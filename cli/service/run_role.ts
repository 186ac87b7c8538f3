import { buildFolder } from '../build.js'
import { CliError, openHome, type BerthHome } from '../berth_home.js'
import { CleanupStack } from '../cleanup_stack.js'
import { describeLocalEdge } from '../local_edge.js'
import { startIncusHost, usesSystemIncus } from '../incus_host.js'
import { registerThisMachine } from '../register_this_machine.js'
import { findRunningDatabase, openDatabase } from '../postgres/open_database.js'
import type { BerthDatabase } from '../postgres/connections.js'
import { ensureProcessUsers, createProcessSpecs } from '../process_users.js'
import { portsFromEnv, commonProcessEnv, roleNames } from '../roles.js'
import { withParentDeathSignal } from '../run_program.js'
import { print } from '../print.js'
import { poolSizeOptionFromEnv } from '../preconditions.js'
import { runFirstRunSteps } from '../up.js'
import { berthHomePath } from './install.js'

type RunnableRole = (typeof roleNames)[number]

/** Roles that can access neither the console's tables nor the console's key. */
const services: RunnableRole[] = ['vault', 'mail']

/**
 * Replaces this process by one of Berth's processes. If this process runs as root, the new one runs as a separate user.
 * Used on additional machines, where DATABASE_URL is the database, and `secrets.json` in the home contains the secrets.
 * The role `host`, which the systemd unit of a host also uses, runs Incus and does not replace this process.
 * @throws CliError for an unknown role
 */
export async function runRole(name: string): Promise<number> {
  if (name === 'host') return runHost()
  if (!roleNames.includes(name as RunnableRole)) {
    throw new CliError(`There is no role "${name}". Roles: ${[...roleNames, 'host'].join(', ')}`)
  }
  const role = name as RunnableRole
  const home = await openHome(berthHomePath())
  const database = await databaseFor(role, home)
  const ports = portsFromEnv()
  const env = commonProcessEnv({ home, database, ports, mode: 'production' })
  if (!services.includes(role)) {
    await registerThisMachine(home, { ...database, ownerUrl: database.appUrl }, env)
  }
  const privileges = await ensureProcessUsers(home, {
    build: buildFolder,
    systemIncus: usesSystemIncus(home),
  })
  const starting = { home, build: buildFolder, env, database, privileges, names: [role] }
  const [{ argv, as, env: own }] = await createProcessSpecs(starting)
  const command = as ? withParentDeathSignal(argv, 'TERM', as) : argv
  // Uses `env` to find the command, because execve(2) does not search PATH.
  process.execve!('/usr/bin/env', ['env', ...command], own as Record<string, string>)
  return 1
}

/**
 * Returns the database URLs for a role. Does not start a server.
 * @throws CliError if no database is configured, or it cannot be reached
 */
async function databaseFor(role: RunnableRole, home: BerthHome): Promise<BerthDatabase> {
  const { DATABASE_URL, VAULT_DATABASE_URL, MAIL_DATABASE_URL } = process.env
  const own = { vault: VAULT_DATABASE_URL, mail: MAIL_DATABASE_URL }[role as string]
  if (own) {
    const urls = { vaultUrl: VAULT_DATABASE_URL, mailUrl: MAIL_DATABASE_URL }
    // No URL of the console's database, because these services must not get it.
    return { appUrl: '', ownerUrl: '', ...urls, description: 'its own', stop: async () => {} }
  }
  const database = DATABASE_URL ? await openDatabase(home) : await findRunningDatabase(home)
  const lacks = services.includes(role) ? !database?.[`${role as 'vault' | 'mail'}Url`] : !database
  if (!database || lacks) {
    const wanted = services.includes(role) ? `${role.toUpperCase()}_DATABASE_URL` : 'DATABASE_URL'
    throw new CliError(`${role} needs a database: set ${wanted}`)
  }
  return database
}

/**
 * Returns the configured size of a storage pool. Returns the default if the size is invalid: earlier releases ignored
 * invalid sizes, so a service's settings may contain one.
 */
function poolSizeOptionOrDefault(): { poolSize?: number } {
  try {
    return poolSizeOptionFromEnv()
  } catch (error) {
    print(`${(error as Error).message}. Berth uses the default size instead`)
    return {}
  }
}

async function runHost(): Promise<number> {
  const life = new CleanupStack()
  const home = await openHome(berthHomePath())
  let up = false
  await life.during(async () => {
    const localHost = startIncusHost(home, life, poolSizeOptionOrDefault())
    const database = await openDatabase(home)
    const local = { ...localHost.services, edge: describeLocalEdge(home) }
    const env = commonProcessEnv({
      home,
      database,
      ports: portsFromEnv(),
      mode: 'production',
      local,
    })
    up = await localHost.ready
    if (!up) return
    await runFirstRunSteps(home, env, { demo: false, hostIsUp: true })
    print('This machine now runs as a host')
    await life.stopRequested
  })
  return up ? 0 : 1
}
