import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { buildFolder, ensureBuild } from '../../cli/build.js'
import { openHome } from '../../cli/berth_home.js'
import { installRoot } from '../../cli/paths.js'
import { findRealPostgresFolder, openDatabase, resetDatabase } from '../../cli/postgres.js'
import { findFreePorts, processSpec, commonProcessEnv } from '../../cli/roles.js'
import { migrateDatabase } from '../../cli/ace_commands.js'
import { MailControlClient } from '#packages/mail-service/control/client'
import { start } from '../vault/process.js'

export interface BerthMail {
  url: string
  smtpPort: number
  email: string
  headers: Record<string, string>
  control: MailControlClient
  /** For the database user that owns the tables. */
  databaseUrl: string
  pid: number
  taken(): Promise<number>
  stop(): Promise<void>
}

/**
 * Runs as in production: the database syncs each commit to disk.
 * @param more additional environment variables
 */
export async function berthMail(
  more: NodeJS.ProcessEnv = {},
  home = join(installRoot, '.berth', 'bench-mail')
): Promise<BerthMail> {
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
    const told = { PATH: process.env.PATH, HOST: '127.0.0.1', ...more }
    const options = { home: opened, database, ports, mode: 'production', local: {} } as const
    const env: NodeJS.ProcessEnv = commonProcessEnv({ ...options, env: told })
    await ensureBuild()
    await migrateDatabase({ home: opened, database, env, from: 'build', always: true })
    const { argv, env: own } = processSpec('mail', buildFolder, env)
    const url = `http://127.0.0.1:${ports.mail}`
    const service = await start(argv, `${url}/health`, own)
    ends.push(() => service.stop())
    const control = new MailControlClient({ url, key: env.MAIL_CONTROL_KEY! })
    const made = { id: 1, accountId: 1, email: 'bench@example.com' }
    const { secret } = await control.call('makeSender', made)
    await control.call('changeSender', { id: 1, hourlyLimit: 2_000_000_000 })
    const client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    ends.push(() => client.end())
    // Ten days of history: a new sender may send only 50 mails on its first day.
    await client.query(
      `insert into mail.usage (sender_id, account_id, day, accepted)
       select 1, 1, (now() at time zone 'UTC')::date - n, 1 from generate_series(1, 10) n`
    )
    const headers = { 'X-Secret-Key': secret, 'X-Access-Key-Id': '1' }
    const taken = async () => {
      const { rows } = await client.query<{ n: string }>('select count(*) as n from mail.messages')
      return Number(rows[0]!.n)
    }
    return {
      url,
      smtpPort: ports.mail_smtp,
      email: made.email,
      headers,
      control,
      taken,
      stop,
      databaseUrl: database.ownerUrl,
      pid: service.pid,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
