import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrateDatabase } from '../cli/ace_commands.js'
import { openHome } from '../cli/berth_home.js'
import { buildFolder, ensureBuild } from '../cli/build.js'
import { installRoot } from '../cli/paths.js'
import { findRealPostgresFolder } from '../cli/postgres/cluster_folder.js'
import { openDatabase } from '../cli/postgres/open_database.js'
import { resetDatabase } from '../cli/postgres/test_database.js'
import { commonProcessEnv, findFreePorts, type ProcessPorts, processSpec } from '../cli/roles.js'
import { startServer } from './vault/start_server.js'

export interface BenchService {
  url: string
  ports: ProcessPorts
  /** Environment variables of the installation. The service's process gets a part of them. */
  env: NodeJS.ProcessEnv
  /** URL of the database, for the role that owns the tables. */
  databaseUrl: string
  pid: number
}

/**
 * Starts the vault or mail service as in production. Its database is empty at first, and syncs each commit to disk.
 * Returns the result of `prepare` too.
 * @param more additional environment variables
 */
export async function startService<Prepared>(
  role: 'vault' | 'mail',
  more: NodeJS.ProcessEnv,
  prepare: (service: BenchService, ends: (() => Promise<unknown>)[]) => Promise<Prepared>
): Promise<Prepared & { stop(): Promise<void> }> {
  const folder = join(installRoot, '.berth', `bench-${role}`)
  const home = await openHome(folder)
  const database = await openDatabase(home, { env: {} })
  const ends: (() => Promise<unknown>)[] = [
    async () => {
      await database.stop()
      const data = await findRealPostgresFolder(folder)
      if (data) await rm(data, { recursive: true, force: true })
      await rm(folder, { recursive: true, force: true })
    },
  ]
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    await resetDatabase(home, database)
    const ports = await findFreePorts()
    const told = { PATH: process.env.PATH, HOST: '127.0.0.1', ...more }
    const options = { home, database, ports, mode: 'production', local: {}, env: told } as const
    const env = { ...commonProcessEnv(options), VAULT_FOLDER: join(folder, 'vault') }
    await ensureBuild()
    await migrateDatabase({ home, database, env, from: 'build', always: true })
    const { argv, env: own } = processSpec(role, buildFolder, env)
    const url = `http://127.0.0.1:${ports[role]}`
    const service = await startServer(argv, `${url}/health`, own)
    ends.push(() => service.stop())
    const { pid } = service
    const prepared = await prepare({ url, ports, env, databaseUrl: database.ownerUrl, pid }, ends)
    return { ...prepared, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
