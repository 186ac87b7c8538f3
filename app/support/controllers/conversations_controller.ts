import { answer } from '#core/answers'
import { tagFor } from '#core/live/unchanged'
import { markRead } from '#support/actions/change_conversation'
import { sendMessage, sideOf } from '#support/actions/send_message'
import { tellTyping, topicOf } from '#support/news'
import { aboutOf } from '#support/queries/about'
import { clientOf, messagesOf } from '#support/queries/messages'
import { messageView } from '#support/transformers/message'
import type { MessageList } from '#support/transformers/pages'
import { listDefaults, listQuery, readForm, sendForm } from '#support/validators/support'
import { whyHouseKeepsNothing } from '#vault/public'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * A conversation, for both of its sides: customers reach their own, staff the one that `client_id` names. Whoever
 * sends is who is signed in; what a call says of it counts for nothing.
 */
export default class ConversationsController {
  /** `?client_id&page=1&length=100`, or `?after` for what came since: `data { count, messages, … }` */
  async index(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.qs().client_id)
    const asked = { ...listDefaults, ...(await listQuery.validate(ctx.request.qs())) }
    const tag = tagFor(ctx, [topicOf(clientId)])
    const [{ messages, ...facts }, attach] = await Promise.all([
      messagesOf(clientId, asked),
      whyHouseKeepsNothing(),
    ])
    const data: MessageList = { ...facts, messages: messages.map(messageView), attach }
    if (tag) ctx.response.header('etag', tag)
    ctx.response.json({ success: true, message: '', data })
  }

  /** `{ sender_id, client_id, text | photos | docs, key?, page? }` */
  async store(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    const { page, ...sent } = await sendForm.validate(ctx.request.body())
    const about = page ? await aboutOf(ctx.actor!, page) : null
    const message = await sendMessage(ctx.actor!, clientId, { ...sent, about })
    await message.load((all) => all.load('attachments').load('sender'))
    answer(ctx, { message: '', data: { message: messageView(message) }, status: 201 })
  }

  /** `{ client_id, sequence }` */
  async read(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    const { sequence } = await readForm.validate(ctx.request.body())
    await markRead(ctx.actor!, clientId, sequence)
    answer(ctx, { message: '' })
  }

  /** `{ client_id }`: told again every few seconds as long as somebody types. */
  async typing(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    await tellTyping(clientId, sideOf(ctx.actor!), ctx.actor!.id)
    answer(ctx, { message: '' })
  }
}
