import { answer } from '#core/answers'
import { listRequest } from '#core/list_page'
import { renderPage } from '#core/page'
import { Refusal } from '#core/refusal'
import { Person } from '#identity/public'
import { assign, setStatus, writeNote } from '#support/actions/change_conversation'
import { tellLooking } from '#support/news'
import Reply from '#support/models/reply'
import {
  clientFacts,
  clientList,
  clientListing,
  searchSaid,
  staffNames,
} from '#support/queries/clients'
import { clientOf } from '#support/queries/messages'
import { conversationStatuses } from '#support/statuses'
import { assignForm, noteForm, searchQuery, statusForm } from '#support/validators/support'
import type { HttpContext } from '@adonisjs/core/http'

/** What staff have beside the conversations. */
export default class ClientsController {
  /** `/admin/live-support?client_id` */
  async show(ctx: HttpContext) {
    const [client, staff, replies] = await Promise.all([
      namedClient(ctx),
      staffNames(),
      Reply.query().orderBy('title'),
    ])
    return renderPage(ctx, 'admin/live_support', {
      client: client && { client_id: client.id, name: client.name },
      staff,
      replies: replies.map(({ id, title, text }) => ({ id, title, text })),
      clientStatus: conversationStatuses,
    })
  }

  /** `?page, length, status, search` */
  async index(ctx: HttpContext) {
    const data = await clientList(listRequest(ctx, clientListing))
    ctx.response.json({ success: true, message: '', data })
  }

  /** `?client_id` */
  async facts(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.qs().client_id)
    ctx.response.json({ success: true, message: '', data: await clientFacts(clientId) })
  }

  /** `?text` */
  async search(ctx: HttpContext) {
    const { text } = await searchQuery.validate(ctx.request.qs())
    ctx.response.json({ success: true, message: '', data: { found: await searchSaid(text) } })
  }

  /** `{ client_id, status }` */
  async status(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    const { status } = await statusForm.validate(ctx.request.body())
    await setStatus(clientId, status)
    answer(ctx, { message: `The conversation is ${status}.` })
  }

  /** `{ client_id, staff_id }` */
  async assign(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    const { staff_id: staffId } = await assignForm.validate(ctx.request.body())
    await assign(clientId, staffId)
    answer(ctx, {
      message: staffId ? 'The conversation is assigned.' : 'The conversation is unassigned.',
    })
  }

  /** `{ client_id }`: told again every few seconds as long as somebody has it open. */
  async looking(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    await tellLooking(clientId, ctx.actor!.id)
    answer(ctx, { message: '' })
  }

  /** `{ client_id, text }` */
  async note(ctx: HttpContext) {
    const clientId = await clientOf(ctx.actor!, ctx.request.input('client_id'))
    const { text } = await noteForm.validate(ctx.request.body())
    await writeNote(ctx.actor!, clientId, text)
    answer(ctx, { message: 'Note saved.', status: 201 })
  }
}

/** Whom the address names; a number that is nobody's opens the page without. */
async function namedClient({ actor, request }: HttpContext): Promise<Person | null> {
  try {
    return await Person.find(await clientOf(actor!, request.qs().client_id))
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
