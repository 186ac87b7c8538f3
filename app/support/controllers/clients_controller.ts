import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { AppError } from '#core/app_error'
import { Person } from '#identity/public'
import {
  assignConversation,
  setConversationStatus,
  addConversationNote,
} from '#support/actions/change_conversation'
import { publishViewing } from '#support/events'
import SavedReply from '#support/models/saved_reply'
import {
  loadClientDetails,
  listClients,
  clientListDefinition,
  searchMessages,
  listStaffNames,
} from '#support/queries/clients'
import { resolveClientId } from '#support/queries/messages'
import { conversationStatuses } from '#support/statuses'
import {
  assignConversationValidator,
  noteValidator,
  messageSearchValidator,
  conversationStatusValidator,
} from '#support/validators/support'
import type { HttpContext } from '@adonisjs/core/http'

export default class ClientsController {
  /** Serves the page `/admin/live-support?client_id=…`. */
  async show(ctx: HttpContext) {
    const [client, staff, replies] = await Promise.all([
      namedClient(ctx),
      listStaffNames(),
      SavedReply.query().orderBy('title'),
    ])
    return renderPage(ctx, 'admin/live_support', {
      client: client && { client_id: client.id, name: client.name },
      staff,
      replies: replies.map(({ id, title, text }) => ({ id, title, text })),
      clientStatus: conversationStatuses,
    })
  }

  /** Query: `?page, length, status, search`. */
  async index(ctx: HttpContext) {
    const data = await listClients(parseListRequest(ctx, clientListDefinition))
    ctx.response.json({ success: true, message: '', data })
  }

  async facts(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.qs().client_id)
    ctx.response.json({ success: true, message: '', data: await loadClientDetails(clientId) })
  }

  async search(ctx: HttpContext) {
    const { text } = await messageSearchValidator.validate(ctx.request.qs())
    ctx.response.json({ success: true, message: '', data: { found: await searchMessages(text) } })
  }

  async status(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    const { status } = await conversationStatusValidator.validate(ctx.request.body())
    await setConversationStatus(clientId, status)
    respond(ctx, { message: `The conversation is now ${status}.` })
  }

  async assign(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    const { staff_id: staffId } = await assignConversationValidator.validate(ctx.request.body())
    await assignConversation(clientId, staffId)
    respond(ctx, {
      message: staffId ? 'Conversation assigned.' : 'Conversation no longer assigned.',
    })
  }

  /** The page calls it every few seconds while a staff member has the conversation open. */
  async looking(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    await publishViewing(clientId, ctx.actor.id)
    respond(ctx, { message: '' })
  }

  async note(ctx: HttpContext) {
    const clientId = await resolveClientId(ctx.actor, ctx.request.input('client_id'))
    const { text } = await noteValidator.validate(ctx.request.body())
    await addConversationNote(ctx.actor, clientId, text)
    respond(ctx, { message: 'Note saved.', status: 201 })
  }
}

/** Null for an unknown id, because the page must open anyway. */
async function namedClient({ actor, request }: HttpContext): Promise<Person | null> {
  try {
    return await Person.find(await resolveClientId(actor, request.qs().client_id))
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
