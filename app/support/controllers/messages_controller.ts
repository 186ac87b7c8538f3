import { respond } from '#core/action_response'
import { createEtag } from '#core/live/not_modified'
import { markRead } from '#support/actions/change_conversation'
import { sendMessage, senderSide } from '#support/actions/send_message'
import { publishTyping, conversationTopic } from '#support/events'
import { findContextLink } from '#support/queries/context_link'
import { resolveClientId, loadMessagePage } from '#support/queries/messages'
import { messageView } from '#support/transformers/message'
import type { MessageList } from '#support/transformers/page_props'
import {
  messageListDefaults,
  messageListValidator,
  markReadValidator,
  sendMessageValidator,
} from '#support/validators/support'
import { systemBucketProblem } from '#vault/public'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Serves conversations. Staff choose one by `client_id`. The sender of a message is always the
 * signed-in person; a `sender_id` in a request is ignored.
 */
export default class ConversationsController {
  /**
   * Query: `?client_id&page=1&length=100`, or `?after` for newer messages. Response: `data { count,
   * messages, … }`.
   */
  async index(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.qs().client_id)
    const list = {
      ...messageListDefaults,
      ...(await messageListValidator.validate(ctx.request.qs())),
    }
    const tag = createEtag(ctx, [conversationTopic(clientId)])
    const [{ messages, ...facts }, attach] = await Promise.all([
      loadMessagePage(clientId, list),
      systemBucketProblem(),
    ])
    const data: MessageList = { ...facts, messages: messages.map(messageView), attach }
    if (tag) ctx.response.header('etag', tag)
    ctx.response.json({ success: true, message: '', data })
  }

  /**
   * The body is `{ sender_id, client_id, text, key?, page? }`, with `photos` or `docs` instead of
   * `text` for files.
   */
  async store(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    const { page, ...sent } = await sendMessageValidator.validate(ctx.request.body())
    const contextLink = page ? await findContextLink(ctx.actor, page) : null
    const message = await sendMessage(ctx.actor, clientId, { ...sent, contextLink })
    await message.load((all) => all.load('attachments').load('sender'))
    respond(ctx, { message: '', data: { message: messageView(message) }, status: 201 })
  }

  async read(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    const { sequence } = await markReadValidator.validate(ctx.request.body())
    await markRead(ctx.actor, clientId, sequence)
    respond(ctx, { message: '' })
  }

  /** The page calls it every few seconds while a person types. */
  async typing(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    await publishTyping(clientId, senderSide(ctx.actor), ctx.actor.id)
    respond(ctx, { message: '' })
  }
}
