import { randomInt, randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { eventually } from '#tests/support/eventually'
import { ServiceDatabase } from '../../service/database.js'
import { SecretCipher } from '../../service/secret_encryption.js'
import { startOutgoingMail } from '../delivery/main.js'
import type { DnsResolver } from '../delivery/dns.js'
import type { OutgoingMailService, OutgoingOptions } from '../outgoing_mail_types.js'
import type { AttemptOutcome, MessageState } from '../types.js'
import { raiseParserTimeouts } from './raise_parser_timeouts.js'

/** All tests use the same key, because each service decrypts secrets that other tests have stored. */
export const MAIL_KEY = process.env.MAIL_KEY!
export const MAIL_HOST = 'mail.berth.test'

export interface MessageRow {
  id: string
  state: MessageState
  attempts: number
  next_at: Date
  code: number | null
  enhanced: string | null
  reason: string | null
  subject: string
  content_id: string | null
  expires_at: Date
}

export interface AttemptRow {
  number: number
  at: Date
  outcome: AttemptOutcome
  host: string | null
  tls: string | null
  code: number | null
  enhanced: string | null
  answer: string
}

/** A sender in real database tables, an outgoing mail service, and a clock that a test can set forward. */
export interface DeliveryFixture {
  database: ServiceDatabase
  seal: SecretCipher
  sender: number
  /** Milliseconds by which the test's clock is ahead of real time. */
  ahead: number
  now(): Date
  start(options?: Partial<OutgoingOptions>): Promise<OutgoingMailService>
  /** Queues a message as the service does. Returns its ID. */
  put(
    recipient: string,
    more?: Partial<{ secret: boolean; raw: string; sender: number }>
  ): Promise<string>
  message(id: string): Promise<MessageRow>
  attempts(id: string): Promise<AttemptRow[]>
  until(id: string, wanted: (row: MessageRow) => boolean): Promise<MessageRow>
  isFinal(id: string): Promise<MessageRow>
  suppressed(recipient: string): Promise<string | undefined>
  end(): Promise<void>
}

/** By default, the mail server of each domain is 127.0.0.1, and there are no TXT records. */
export function createTestResolver(more: Partial<DnsResolver> = {}): DnsResolver {
  return {
    mx: async (domain) => [{ exchange: `mx.${domain}`, priority: 10 }],
    addresses: async () => ['127.0.0.1'],
    txt: async () => {
      throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    },
    ...more,
  }
}

export async function createDeliveryFixture(): Promise<DeliveryFixture> {
  raiseParserTimeouts()
  const database = new ServiceDatabase('mail tests', process.env.MAIL_DATABASE_URL!)
  const seal = new SecretCipher('berth mail', MAIL_KEY)
  const sender = randomInt(1_000_000_000, 2_000_000_000)
  await database.rows('delete from mail.messages')
  await database.rows('delete from mail.contents')
  await database.rows(
    `insert into mail.senders (id, account_id, email) values ($1, $1, 'shop@shop.test')`,
    [sender]
  )
  const running: OutgoingMailService[] = []
  const self: DeliveryFixture = {
    database,
    seal,
    sender,
    ahead: 0,
    now: () => new Date(Date.now() + self.ahead),
    async start(options = {}) {
      const outgoing = await startOutgoingMail({
        database,
        seal,
        options: {
          host: MAIL_HOST,
          publicUrl: 'http://mail.test',
          folder: tmpdir(),
          key: MAIL_KEY,
          allowPrivate: true,
          names: createTestResolver(),
          now: self.now,
          ...options,
        },
        log(entry) {
          if (process.env.BERTH_MAIL_LOG) process.stderr.write(`${JSON.stringify(entry)}\n`)
        },
      })
      running.push(outgoing)
      return outgoing
    },
    async put(recipient, { secret = false, raw, sender: from = sender } = {}) {
      const [id, content] = [randomUUID(), randomUUID()]
      await database.rows('insert into mail.contents (id, raw) values ($1, $2)', [
        content,
        Buffer.from(raw ?? rawMessageFor(id, recipient)),
      ])
      await database.rows(
        `insert into mail.messages (id, sender_id, account_id, state, recipient, destination, subject, secret, next_at, expires_at, content_id)
         values ($1, $2, $2, 'queued', $3, $4, 'Words', $5, $6, $6::timestamptz + interval '24 hours', $7)`,
        [id, from, recipient, recipient.split('@')[1], secret, self.now(), content]
      )
      for (const outgoing of running) outgoing.wake()
      return id
    },
    message: async (id) =>
      (await database.row<MessageRow>('select * from mail.messages where id = $1', [id]))!,
    attempts: (id) =>
      database.rows<AttemptRow>(
        'select * from mail.attempts where message_id = $1 order by number',
        [id]
      ),
    async until(id, wanted) {
      return eventually(async () => {
        const row = await self.message(id)
        if (wanted(row)) return row
        throw new Error(`It did not become so: ${JSON.stringify(row)}`)
      })
    },
    isFinal: (id) =>
      self.until(id, ({ state }) => !['scheduled', 'queued', 'sending'].includes(state)),
    async suppressed(recipient) {
      const row = await database.row<{ reason: string }>(
        'select reason from mail.suppressions where sender_id = $1 and recipient = $2',
        [sender, recipient]
      )
      return row?.reason
    },
    async end() {
      await Promise.all(running.map((outgoing) => outgoing.stop()))
      await database.rows('delete from mail.messages')
      await database.rows('delete from mail.senders where id = $1', [sender])
      await database.close()
    },
  }
  return self
}

export function rawMessageFor(id: string, recipient: string): string {
  return [
    'From: Shop <shop@shop.test>',
    `To: <${recipient}>`,
    'Subject: Words',
    `Message-ID: <${id}@${MAIL_HOST}>`,
    'Date: Mon, 23 Nov 2026 12:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Good day.',
    '',
  ].join('\r\n')
}
