import type { Requester } from '#mail/actions/change_sender'
import type Sender from '#mail/models/sender'
import { getSender } from '#mail/queries/senders'
import { assertSenderUsable } from '#mail/states/sender'
import type { Actor } from '#core/contracts/actor'
import type { HttpContext } from '@adonisjs/core/http'

/** The address that a call names, where something can be done with it. Throws 404 and 409. */
export async function getUsableSender(ctx: HttpContext): Promise<Sender> {
  const sender = await getSender(ctx.actor!, ctx.request.input('id'))
  assertSenderUsable(sender)
  return sender
}

/** Who asks, for the log. */
export function requesterOf({ actor, request }: HttpContext): Requester & { actor: Actor } {
  return { actor: actor!, ip: request.ip() }
}

/** What is read: never kept by a browser. */
export function respondWithData({ response }: HttpContext, data: object): void {
  response.json({ success: true, message: '', data })
}
