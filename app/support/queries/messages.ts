import type { Actor } from '#core/contracts/actor'
import { parseRecordId } from '#core/record_id'
import { Person } from '#identity/public'
import { fileIdOfPath } from '#support/actions/send_message'
import { noConversation, fileNotFound } from '#support/errors'
import Attachment from '#support/models/attachment'
import Conversation from '#support/models/conversation'
import Message from '#support/models/message'

/**
 * Customers can only have their own conversation.
 * @throws 404 for unknown customers, and for another person's conversation
 */
export async function resolveClientId(actor: Actor, named: unknown): Promise<number> {
  const own = actor.audience === 'customer'
  if (own && (named === undefined || named === null || named === '')) return actor.id
  const id = parseRecordId(named)
  if (own) {
    if (id !== actor.id) throw noConversation()
    return id
  }
  const customer = id ? await Person.query().where({ id, audience: 'customer' }).first() : null
  if (!customer) throw noConversation()
  return customer.id
}

export interface MessagePageRequest {
  /** Page number. 1 is the page with the newest messages. */
  page: number
  length: number
  /** Sequence number. Only later messages are returned, oldest first. */
  after?: number
}

export async function loadMessagePage(
  clientId: number,
  { page, length, after }: MessagePageRequest
) {
  const conversation = await Conversation.find(clientId)
  const count = conversation?.lastSequence ?? 0
  const query = Message.query().where({ clientId }).preload('attachments').preload('sender')
  // Sequence numbers have no gaps, so a page is a range of them.
  const last = count - (page - 1) * length
  if (after !== undefined) query.where('sequence', '>', after).orderBy('sequence').limit(length)
  else query.whereBetween('sequence', [last - length + 1, last]).orderBy('sequence')
  return {
    count,
    messages: await query,
    read: { client: conversation?.clientRead ?? 0, staff: conversation?.staffRead ?? 0 },
  }
}

/**
 * Returns a file that the person uploaded, or that is in a conversation that they may read.
 * @throws 404 for any other file
 */
export async function getAttachment(actor: Actor, path: unknown): Promise<Attachment> {
  const id = typeof path === 'string' ? fileIdOfPath(path) : null
  const file = id ? await Attachment.find(id) : null
  if (!file) throw fileNotFound()
  if (file.uploaderId === actor.id) return file
  if (!file.messageId) throw fileNotFound()
  if (actor.audience === 'staff') return file
  const message = await Message.find(file.messageId)
  if (message?.clientId !== actor.id) throw fileNotFound()
  return file
}

export function countMessagesUnreadByClient(clientId: number) {
  return Message.query()
    .join('support_conversations as c', 'c.client_id', 'support_messages.client_id')
    .where('support_messages.client_id', clientId)
    .where('side', 'staff')
    .whereColumn('sequence', '>', 'c.client_read')
    .count('* as total')
}

export function countClientsWithMessagesUnreadByStaff() {
  return Conversation.query()
    .whereExists((unread) =>
      unread
        .from('support_messages as m')
        .whereColumn('m.client_id', 'support_conversations.client_id')
        .whereColumn('m.sequence', '>', 'support_conversations.staff_read')
        .where('m.side', 'client')
    )
    .count('* as total')
}
