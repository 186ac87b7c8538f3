import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError, type BerthHome } from '../berth_home.js'
import { readPostmasterFile, usesEmbeddedPrograms } from './cluster_folder.js'
import { databaseUrlsAt, type BerthDatabase, withDatabaseClient } from './connections.js'
import { openExternalServer, readExternalServer } from './external_server.js'
import { ensureLocalDatabaseRoles } from './database_roles.js'
import {
  isServerResponding,
  waitForRunningServer,
  preparePostgresServer,
  startPostgresServer,
} from './server.js'

export interface DatabaseOptions {
  /** Makes the server faster and less durable. For tests. */
  fast?: boolean
  env?: NodeJS.ProcessEnv
}

/**
 * Opens the database: DATABASE_URL if it is set, otherwise the server to which `./berth database move` moved it,
 * otherwise the home's own PostgreSQL server. Starts the latter if it is not running.
 * @throws CliError if the database cannot be reached, or DATABASE_URL is older than PostgreSQL 15. Error if the home's
 * server does not start
 */
export async function openDatabase(
  home: BerthHome,
  options: DatabaseOptions = {}
): Promise<BerthDatabase> {
  const env = options.env ?? process.env
  if (env.DATABASE_URL) return useExternal(env.DATABASE_URL, env)
  const external = readExternalServer(home)
  if (external) return openExternalServer(home, external)
  // Uses a running server without looking for its programs, because apt may have removed them since it started.
  const already = await findRunningDatabase(home)
  if (already) {
    await ensureLocalDatabaseRoles(home, Number(new URL(already.ownerUrl).port))
    return already
  }
  const server = await preparePostgresServer(home, { fast: options.fast })
  const running = await waitForRunningServer(server)
  if (running) {
    await ensureLocalDatabaseRoles(home, running)
    return { ...describe(home, running, 'already running'), stop: async () => {} }
  }
  const { port, stop } = await startPostgresServer(server)
  await ensureLocalDatabaseRoles(home, port)
  return { ...describe(home, port, usesEmbeddedPrograms(home) ? 'embedded' : 'system'), stop }
}

/** Opens a database that the operator manages. Berth creates no roles on its server. */
async function useExternal(appUrl: string, env: NodeJS.ProcessEnv): Promise<BerthDatabase> {
  const ownerUrl = env.MIGRATION_DATABASE_URL ?? appUrl
  const { VAULT_DATABASE_URL: vaultUrl, MAIL_DATABASE_URL: mailUrl } = env
  const version = await withDatabaseClient(ownerUrl, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`
    )
    return rows[0].version
  }).catch((error: Error) => {
    throw new CliError(`The PostgreSQL of DATABASE_URL cannot be reached: ${error.message}`)
  })
  if (version < 150_000) {
    throw new CliError(
      `The PostgreSQL of DATABASE_URL is version ${Math.floor(version / 10_000)}; Berth needs 15 or newer`
    )
  }
  const description = `version ${Math.floor(version / 10_000)} of DATABASE_URL`
  return { appUrl, ownerUrl, vaultUrl, mailUrl, description, stop: async () => {} }
}

/** Ignores DATABASE_URL. Does not start a server. */
export async function findRunningDatabase(home: BerthHome): Promise<BerthDatabase | undefined> {
  const external = readExternalServer(home)
  if (external) return openExternalServer(home, external).catch(() => undefined)
  const clusterFolder = await realpath(join(home.path, 'postgres')).catch(() => undefined)
  const port = clusterFolder && readPostmasterFile(join(clusterFolder, 'data'))?.port
  if (!port || !(await isServerResponding(home, port))) return undefined
  return { ...describe(home, port, 'already running'), stop: async () => {} }
}

function describe(home: BerthHome, port: number, how: string): Omit<BerthDatabase, 'stop'> {
  return { ...databaseUrlsAt(home, `127.0.0.1:${port}`), description: `127.0.0.1:${port}, ${how}` }
}
