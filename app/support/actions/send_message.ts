import type { Actor } from '#core/contracts/actor'
import {
  fileNotFound,
  nothingToSend,
  mixedFileKinds,
  messageKeyReused,
  tooManyMessages,
} from '#support/errors'
import type { FileKind } from '#support/file_types'
import { MAX_FILES_PER_MESSAGE, MAX_MESSAGES_PER_MINUTE } from '#support/limits'
import Attachment from '#support/models/attachment'
import Conversation from '#support/models/conversation'
import Message from '#support/models/message'
import { publishConversationChange } from '#support/events'
import type { ContextLink } from '#support/queries/context_link'
import type { ConversationSide } from '#support/statuses'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

export interface NewMessage {
  text?: string | null
  /** Comma-separated paths that the upload returned. */
  photos?: string | null
  docs?: string | null
  /** Idempotency key that the sender's browser chose. */
  key?: string | null
  contextLink?: ContextLink | null
}

type Sender = Pick<Actor, 'id' | 'audience'>

/**
 * A second call with the same key returns the first message.
 * @throws AppError 422 if the message is empty or combines text, photos and documents; 404 for
 * files that this person did not upload or has already sent; 409 if the key belongs to another
 * message; 429
 */
export async function sendMessage(
  sender: Sender,
  clientId: number,
  sent: NewMessage
): Promise<Message> {
  const side = senderSide(sender)
  const content = messageContent(sent)
  const key = sent.key ?? randomUUID()
  const contextLink = side === 'client' ? (sent.contextLink ?? null) : null
  return db.transaction(async (trx) => {
    const conversation = await lockOrCreateConversation(clientId, trx)
    const before = await Message.query({ client: trx }).where({ clientId, key }).first()
    if (before) {
      if (before.senderId !== sender.id || before.text !== content.text) throw messageKeyReused()
      return before
    }
    if (side === 'client') await assertNotFlooding(sender.id, trx)
    const files = content.paths.length
      ? await unsentFiles(sender.id, content.paths, content.kind!, trx)
      : []
    const now = DateTime.now()
    const sequence = conversation.lastSequence + 1
    const waited = side === 'staff' ? secondsSince(conversation.waitingSince, now) : null
    const message = await Message.create(
      {
        clientId,
        sequence,
        senderId: sender.id,
        side,
        key,
        waited,
        text: content.text,
        fileType: content.kind,
        createdAt: now,
        page: contextLink?.page ?? null,
        about: contextLink && { name: contextLink.name, status: contextLink.status },
      },
      { client: trx }
    )
    for (const [index, file] of files.entries()) {
      await file.merge({ messageId: message.id, place: index }).save()
    }
    conversation.merge({ lastSequence: sequence, lastAt: now })
    if (side === 'client') {
      const waitingSince = conversation.waitingSince ?? now
      conversation.merge({ status: 'waiting', waitingSince })
    } else {
      const assignedTo = conversation.assignedTo ?? sender.id
      conversation.merge({ status: 'open', waitingSince: null, assignedTo })
    }
    await conversation.save()
    await publishConversationChange(clientId, trx)
    return message
  })
}

export function senderSide({ audience }: Pick<Actor, 'audience'>): ConversationSide {
  return audience === 'staff' ? 'staff' : 'client'
}

export async function lockOrCreateConversation(
  clientId: number,
  trx: TransactionClientContract
): Promise<Conversation> {
  await trx.rawQuery(
    'insert into support_conversations (client_id) values (?) on conflict do nothing',
    [clientId]
  )
  return Conversation.query({ client: trx }).where({ clientId }).forUpdate().firstOrFail()
}

function messageContent({ text, photos, docs }: NewMessage) {
  const kinds = [text, photos, docs].filter((part) => part)
  if (kinds.length === 0) throw nothingToSend()
  if (kinds.length > 1) throw mixedFileKinds()
  if (text && !/\S/u.test(text)) throw nothingToSend()
  const kind: FileKind | null = photos ? 'photo' : docs ? 'document' : null
  const paths = (photos ?? docs ?? '').split(',').filter((path) => path)
  if (kind && paths.length === 0) throw nothingToSend()
  return { text: text ?? '', kind, paths: [...new Set(paths)].slice(0, MAX_FILES_PER_MESSAGE) }
}

/**
 * Returns the files in the order of `paths`.
 * @throws 404 unless this person uploaded them and has not sent them yet
 */
async function unsentFiles(
  uploaderId: number,
  paths: string[],
  kind: FileKind,
  trx: TransactionClientContract
): Promise<Attachment[]> {
  const ids = paths.map(fileIdOfPath)
  const known = ids.filter((id) => id !== null)
  const attachments = await Attachment.query({ client: trx })
    .whereIn('id', known)
    .where({ uploaderId, kind })
    .whereNull('messageId')
    .forUpdate()
  const byId = new Map(attachments.map((file) => [file.id, file]))
  return ids.map((id) => {
    const file = id && byId.get(id)
    if (!file) throw fileNotFound()
    return file
  })
}

/**
 * Null unless the path has the form `chat-file/5d0…e1.jpg`; folder and extension may be missing.
 */
export function fileIdOfPath(path: string): string | null {
  const named =
    /^\/?(?:chat-file\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.[a-z0-9]{1,5})?$/
  return named.exec(path)?.[1] ?? null
}

async function assertNotFlooding(senderId: number, trx: TransactionClientContract): Promise<void> {
  const [{ total }] = await trx
    .from('support_messages')
    .where('sender_id', senderId)
    .where('created_at', '>', DateTime.now().minus({ minutes: 1 }).toSQL()!)
    .count('* as total')
  if (Number(total) >= MAX_MESSAGES_PER_MINUTE) throw tooManyMessages()
}

function secondsSince(since: DateTime | null, now: DateTime): number | null {
  return since ? Math.max(0, Math.round(now.diff(since, 'seconds').seconds)) : null
}
