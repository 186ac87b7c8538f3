import pg from 'pg'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder, ensureBuild } from '../../cli/build.js'
import { openHome } from '../../cli/berth_home.js'
import { installRoot } from '../../cli/paths.js'
import { findRealPostgresFolder, openDatabase, resetDatabase } from '../../cli/postgres.js'
import { findFreePorts, processSpec, commonProcessEnv } from '../../cli/roles.js'
import { migrateDatabase } from '../../cli/ace_commands.js'
import { VaultControlClient } from '#packages/vault-service/control/client'
import { start } from './process.js'

export interface BerthVault {
  url: string
  key: string
  headers: Record<string, string>
  id: number
  control: VaultControlClient
  /** Adds empty objects to a folder, only in the tables. */
  fill(folder: string, count: number): Promise<void>
  stop(): Promise<void>
}

/** As in production, with two threads. The database syncs each commit to disk. */
export async function berthVault(
  home = join(installRoot, '.berth', 'bench-vault')
): Promise<BerthVault> {
  const opened = await openHome(home)
  const database = await openDatabase(opened, { env: {} })
  const ends: (() => Promise<unknown>)[] = [
    async () => {
      await database.stop()
      const data = await findRealPostgresFolder(home)
      if (data) await rm(data, { recursive: true, force: true })
      await rm(home, { recursive: true, force: true })
    },
  ]
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    await resetDatabase(opened, database)
    const ports = await findFreePorts()
    const told = {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      VAULT_THREADS: '2',
      VAULT_RESERVE: '0',
    }
    const options = {
      home: opened,
      database,
      ports,
      mode: 'production',
      local: {},
      env: told,
    } as const
    const env: NodeJS.ProcessEnv = {
      ...commonProcessEnv(options),
      VAULT_FOLDER: join(home, 'vault'),
    }
    await ensureBuild()
    await migrateDatabase({ home: opened, database, env, from: 'build', always: true })
    const { argv, env: own } = processSpec('vault', buildFolder, env)
    const url = `http://127.0.0.1:${ports.vault}`
    const service = await start(argv, `${url}/health`, own)
    ends.push(() => service.stop())
    const control = new VaultControlClient({ url, key: env.VAULT_CONTROL_KEY! })
    const made = { id: 1, accountId: 1, key: 'bench' }
    const { secret } = await control.call('makeVault', made)
    const headers = { 'X-Secret-Key': secret, 'X-Access-Key-Id': '1' }
    const fill = async (folder: string, count: number) => {
      const client = new pg.Client({ connectionString: database.ownerUrl })
      await client.connect()
      await client.query(
        `insert into vault.objects
           (vault_id, name, store, bodies, sizes, digests, size, etag, type, modified_at)
         select 1, $1 || '/' || lpad(n::text, 7, '0'), 'folder', '{}', '{}', '{}', 0, '', 'x/y', now()
         from generate_series(1, $2::int) n`,
        [folder, count]
      )
      await client.query('analyze vault.objects')
      await client.end()
    }
    return { url, key: made.key, id: made.id, control, headers, fill, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
