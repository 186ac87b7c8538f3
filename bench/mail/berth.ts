import pg from 'pg'
import { MailControlClient } from '#packages/mail-service/control/client'
import { startService } from '../service.js'

export interface BerthMail {
  url: string
  smtpPort: number
  email: string
  headers: Record<string, string>
  control: MailControlClient
  /** URL of the database, for the role that owns the tables. */
  databaseUrl: string
  pid: number
  taken(): Promise<number>
  stop(): Promise<void>
}

/** Starts the mail service as in production. */
export function berthMail(more: NodeJS.ProcessEnv = {}): Promise<BerthMail> {
  return startService('mail', more, async ({ url, ports, env, databaseUrl, pid }, ends) => {
    const control = new MailControlClient({ url, key: env.MAIL_CONTROL_KEY! })
    const made = { id: 1, accountId: 1, email: 'bench@example.com' }
    const { secret } = await control.call('makeSender', made)
    await control.call('changeSender', { id: 1, hourlyLimit: 2_000_000_000 })
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    ends.push(() => client.end())
    // Creates ten days with mail, because a new sender may send only 50 messages on its first day.
    await client.query(
      `insert into mail.usage (sender_id, account_id, day, accepted)
       select 1, 1, (now() at time zone 'UTC')::date - n, 1 from generate_series(1, 10) n`
    )
    const headers = { 'X-Secret-Key': secret, 'X-Access-Key-Id': '1' }
    const taken = async () => {
      const { rows } = await client.query<{ n: string }>('select count(*) as n from mail.messages')
      return Number(rows[0]!.n)
    }
    const { email } = made
    return { url, smtpPort: ports.mail_smtp, email, headers, control, taken, databaseUrl, pid }
  })
}
