import type { Actor } from '#core/contracts/actor'
import { invalid } from '#core/app_error'
import { lockOrCreateConversation, senderSide } from '#support/actions/send_message'
import Note from '#support/models/note'
import { publishConversationChange } from '#support/events'
import { listStaffNames } from '#support/queries/clients'
import type { ConversationStatus } from '#support/statuses'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** A sequence number below the current one has no effect. */
export async function markRead(
  actor: Pick<Actor, 'audience'>,
  clientId: number,
  sequence: number
): Promise<void> {
  const column = senderSide(actor) === 'staff' ? 'staff_read' : 'client_read'
  await db.transaction(async (trx) => {
    const { rowCount } = await trx.rawQuery(
      `update support_conversations set ?? = least(last_sequence, ?)
       where client_id = ? and ?? < least(last_sequence, ?)`,
      [column, sequence, clientId, column, sequence]
    )
    if (rowCount) await publishConversationChange(clientId, trx)
  })
}

/** The customer's waiting time starts with `waiting`, and ends with `open` or `closed`. */
export async function setConversationStatus(
  clientId: number,
  status: ConversationStatus
): Promise<void> {
  await db.transaction(async (trx) => {
    const conversation = await lockOrCreateConversation(clientId, trx)
    const since = conversation.waitingSince ?? DateTime.now()
    await conversation.merge({ status, waitingSince: status === 'waiting' ? since : null }).save()
    await publishConversationChange(clientId, trx)
  })
}

export async function assignConversation(clientId: number, staffId: number | null): Promise<void> {
  const known = staffId === null || (await listStaffNames()).some(({ id }) => id === staffId)
  if (!known) throw invalid({ staff_id: 'Choose a staff member.' })
  await db.transaction(async (trx) => {
    const conversation = await lockOrCreateConversation(clientId, trx)
    await conversation.merge({ assignedTo: staffId }).save()
    await publishConversationChange(clientId, trx)
  })
}

export async function addConversationNote(
  actor: Actor,
  clientId: number,
  text: string
): Promise<void> {
  await db.transaction(async (trx) => {
    await lockOrCreateConversation(clientId, trx)
    const note = { clientId, authorId: actor.id, text, createdAt: DateTime.now() }
    await Note.create(note, { client: trx })
    await publishConversationChange(clientId, trx)
  })
}
