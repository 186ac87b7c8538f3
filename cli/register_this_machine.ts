import { createHmac } from 'node:crypto'
import { hostname } from 'node:os'
import pg from 'pg'
import { CliError, type BerthHome } from './berth_home.js'
import type { BerthDatabase } from './postgres/connections.js'

/**
 * Registers this machine in the database (docs/decisions/0018).
 * @throws CliError if the database belongs to an installation with another key, because this machine could not decrypt
 * its secrets
 */
export async function registerThisMachine(
  home: BerthHome,
  database: BerthDatabase,
  env: NodeJS.ProcessEnv
): Promise<void> {
  const client = new pg.Client({ connectionString: database.ownerUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    const mark = createHmac('sha256', String(env.APP_KEY)).update('berth').digest('hex')
    await client.query(
      `insert into settings (key, value) values ('key_mark', $1) on conflict (key) do nothing`,
      [JSON.stringify(mark)]
    )
    const { rows } = await client.query<{ value: string }>(
      `select value from settings where key = 'key_mark'`
    )
    if (rows[0].value !== mark) {
      throw new CliError(
        `The database in DATABASE_URL belongs to another installation. Nothing was started. To make this machine a second console of that installation, copy secrets.json from its home to ${home.path} and start again`
      )
    }
    await client.query(
      `insert into machines (id, name, public_ip) values ($1, $2, $3)
       on conflict (id) do update
       set name = excluded.name, public_ip = excluded.public_ip, started_at = now()`,
      [home.machine, hostname().split('.')[0] || 'this machine', env.PUBLIC_IP ?? null]
    )
  } finally {
    await client.end()
  }
}
