import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceDatabase } from '#packages/service/database'
import { MailControlClient } from '../control/client.js'
import { raiseParserTimeouts } from './raise_parser_timeouts.js'
import { startMailService, type MailServiceOptions, type MailService } from '../main.js'

export interface TestService extends MailService {
  url: string
  control: MailControlClient
  folder: string
  database: ServiceDatabase
}

/**
 * Starts a mail service in this process, with the real database and free ports. By default it does not deliver mail.
 */
export async function startTestMailService(
  more: Partial<MailServiceOptions> = {}
): Promise<TestService> {
  raiseParserTimeouts()
  const folder = await mkdtemp(join(tmpdir(), 'berth-mail-'))
  const database = new ServiceDatabase('berth-mail-test', process.env.MAIL_DATABASE_URL!, 2)
  // Deletes the messages of other tests, because the relay would otherwise receive them too.
  if (more.relayUrl) await database.rows('delete from mail.messages')
  const service = await startMailService({
    host: '127.0.0.1',
    port: 0,
    smtpPort: 0,
    folder,
    databaseUrl: process.env.MAIL_DATABASE_URL!,
    key: process.env.MAIL_KEY!,
    controlKey: process.env.MAIL_CONTROL_KEY!,
    publicUrl: 'https://mail.example.com',
    log(entry) {
      if (process.env.BERTH_MAIL_LOG) process.stderr.write(`${JSON.stringify(entry)}\n`)
    },
    ...more,
  })
  const url = `http://127.0.0.1:${service.port}`
  return {
    ...service,
    url,
    folder,
    database,
    control: new MailControlClient({ url, key: process.env.MAIL_CONTROL_KEY! }),
    async stop() {
      await service.stop()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface TestSender {
  id: number
  accountId: number
  email: string
  secret: string
  headers: Record<string, string>
}

/** IDs for test senders start above the IDs of the console's real senders. */
let next = randomInt(1_000_000_000, 2_000_000_000)

/** Creates a sender, by default without warm-up limits. */
export async function createTestSender(
  { control, database }: Pick<TestService, 'control' | 'database'>,
  { isNew = false } = {}
): Promise<TestSender> {
  const id = next++
  const email = `s${id}@example.com`
  const { secret } = await control.call('makeSender', { id, accountId: id, email })
  if (!isNew) {
    await database.rows(
      `insert into mail.usage (sender_id, account_id, day, accepted)
       select $1, $1, (now() at time zone 'UTC')::date - n, 1 from generate_series(1, 10) n`,
      [id]
    )
  }
  const headers = { 'x-secret-key': secret, 'x-access-key-id': String(id) }
  return { id, accountId: id, email, secret, headers }
}

export interface ApiResponse {
  status: number
  headers: Headers
  success: boolean
  code?: string
  message: string
  id: string
  ids?: string[]
  errors?: Record<string, string[]>
  index?: number
}

/** Returns the fields of a valid message. `more` adds or replaces fields. */
export function messageBody(sender: TestSender, more: object = {}) {
  return {
    sender_email: sender.email,
    sender_name: 'Shop',
    recipient_email: 'ana@example.net',
    recipient_name: 'Ana',
    subject: 'Hello',
    mail_body: '<p>Hello <b>Ana</b></p>',
    ...more,
  }
}

export async function callSendApi(
  { url }: { url: string },
  sender: Pick<TestSender, 'headers'>,
  body: unknown,
  headers: Record<string, string> = {}
): Promise<ApiResponse> {
  const answer = await fetch(`${url}/send-mail`, {
    method: 'POST',
    headers: { ...sender.headers, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const said = (await answer.json()) as ApiResponse
  return { ...said, status: answer.status, headers: answer.headers }
}
