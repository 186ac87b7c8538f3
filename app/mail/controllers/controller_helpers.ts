import type Sender from '#mail/models/sender'
import { getSender } from '#mail/queries/senders'
import { assertSenderUsable } from '#mail/states/sender'
import type { HttpContext } from '@adonisjs/core/http'

/** @throws 404 if the sender in the request does not exist, 409 if it cannot be used */
export async function getUsableSender(ctx: HttpContext): Promise<Sender> {
  const sender = await getSender(ctx.actor, ctx.request.input('id'))
  assertSenderUsable(sender)
  return sender
}

export function respondWithData({ response }: HttpContext, data: object): void {
  response.json({ success: true, message: '', data })
}
