import { simpleParser, type AddressObject } from 'mailparser'
import type { ControlHandlers } from '#packages/service/control_handler'
import { mailErrors } from '../errors.js'
import type { MailEventType } from '../types.js'
import type { AttemptEntry, ControlApi, MessageEntry } from './contract.js'
import type { ControlDeps } from './server.js'

type Calls = 'messages' | 'message' | 'cancelMessage' | 'retryMessage'

const MESSAGE_COLUMNS = `m.id, m.state, m.recipient, m.subject, m.tags, m.created_at as at,
  case when m.final_at is null then m.next_at end as "nextAt", m.attempts, m.reason, m.enhanced`
const MAX_MESSAGE_COUNT = 10_000
const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface Row extends Omit<MessageEntry, 'at' | 'nextAt'> {
  at: Date
  nextAt: Date | null
}

interface Content {
  messageId: string
  senderName: string
  recipientName: string
  size: number | null
  text: string | null
  html: string | null
  attachments: { filename: string; type: string; size: number }[]
}

export function messageHandlers({
  database,
  outgoing,
}: ControlDeps): Pick<ControlHandlers<ControlApi>, Calls> {
  return {
    async messages({ senderId, state, search, limit, offset }) {
      const isId = search !== undefined && UUID_PATTERN.test(search)
      const where = `m.sender_id = $1 and ($2::text is null or m.state = $2)
        and ($3::text is null or m.recipient ilike $3 or m.subject ilike $3)
        and ($4::uuid is null or m.id = $4)`
      const pattern = search && !isId ? `%${search.replace(/[\\%_]/g, '\\$&')}%` : null
      const values = [senderId, state ?? null, pattern, isId ? search : null]
      const [rows, total] = await Promise.all([
        database.rows<Row>(
          `select ${MESSAGE_COLUMNS} from mail.messages m where ${where} order by m.id desc limit $5 offset $6`,
          [...values, limit, offset]
        ),
        database.row<{ count: number }>(
          `select count(*) from (select from mail.messages m where ${where} limit ${MAX_MESSAGE_COUNT}) found`,
          values
        ),
      ])
      return { messages: rows.map(entryOf), count: total!.count }
    },

    async message({ senderId, id }) {
      if (!UUID_PATTERN.test(id)) throw mailErrors.noMessage()
      const row = await database.row<Row & { secret: boolean; raw: Buffer | null }>(
        `select ${MESSAGE_COLUMNS}, m.secret, c.raw from mail.messages m left join mail.contents c on c.id = m.content_id
         where m.id = $1 and m.sender_id = $2`,
        [id, senderId]
      )
      if (!row) throw mailErrors.noMessage()
      const { secret, raw, ...entry } = row
      const [history, events] = await Promise.all([
        database.rows<Omit<AttemptEntry, 'at'> & { at: Date }>(
          `select at, outcome, host, tls, code, enhanced, answer, took from mail.attempts
           where message_id = $1 order by number`,
          [id]
        ),
        database.rows<{ type: MailEventType; at: Date; detail: string }>(
          'select type, at, detail from mail.events where message_id = $1 order by at, id',
          [id]
        ),
      ])
      return {
        ...entryOf(entry),
        ...(await contentOf(secret ? null : raw)),
        history: history.map((one) => ({ ...one, at: one.at.toISOString() })),
        events: events.map((one) => ({ ...one, at: one.at.toISOString() })),
      }
    },

    async cancelMessage({ senderId, id }) {
      if (!UUID_PATTERN.test(id)) throw mailErrors.noMessage()
      const done = await database.row(
        `update mail.messages set state = 'cancelled', final_at = now(), reason = 'Cancelled by its sender.'
         where id = $1 and sender_id = $2 and state in ('scheduled', 'queued') returning id`,
        [id, senderId]
      )
      return { cancelled: done !== undefined }
    },

    async retryMessage({ senderId, id }) {
      if (!UUID_PATTERN.test(id)) throw mailErrors.noMessage()
      const done = await database.row(
        `update mail.messages set next_at = now()
         where id = $1 and sender_id = $2 and state = 'queued' returning id`,
        [id, senderId]
      )
      if (done) outgoing.wake()
      return { retried: done !== undefined }
    },
  }
}

function entryOf(row: Row): MessageEntry {
  return { ...row, at: row.at.toISOString(), nextAt: row.nextAt?.toISOString() ?? null }
}

async function contentOf(raw: Buffer | null): Promise<Content> {
  if (!raw) {
    const none = { messageId: '', senderName: '', recipientName: '', size: null }
    return { ...none, text: null, html: null, attachments: [] }
  }
  const mail = await simpleParser(raw, { skipImageLinks: true, skipTextToHtml: true })
  return {
    messageId: mail.messageId ?? '',
    senderName: nameOf(mail.from),
    recipientName: nameOf([mail.to].flat()[0]),
    size: raw.length,
    text: mail.text ?? null,
    html: mail.html || null,
    attachments: mail.attachments.map(({ filename, contentType, size }) => ({
      filename: filename ?? 'attachment',
      type: contentType,
      size,
    })),
  }
}

function nameOf(addresses: AddressObject | undefined): string {
  return addresses?.value[0]?.name ?? ''
}
