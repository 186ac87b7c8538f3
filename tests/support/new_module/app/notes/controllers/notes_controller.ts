import { respond } from '#core/action_response'
import { accountIdOf } from '#core/contracts/actor'
import { audit } from '#core/audit/audit'
import {
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  parseListRequest,
} from '#core/list_page'
import { renderPage } from '#core/render_page'
import Note from '#notes/models/note'
import { notesOfAccount } from '#notes/queries/notes'
import { noteValidator } from '#notes/validators/note'
import type { HttpContext } from '@adonisjs/core/http'

const noteList: ListDefinition = {
  statuses: {},
  sorts: { note: 'lower(text)' },
  search: searchAnywhereIn('text'),
}

/** Serves `/note/list` and `/note/store`: the notes of the customer's account. */
export default class NotesController {
  async index(ctx: HttpContext) {
    const asked = parseListRequest(ctx, noteList)
    const { rows, ...facts } = await queryListPage<Note>(notesOfAccount(ctx.actor), asked, noteList)
    return renderPage(ctx, 'customer/note/list', {
      ...facts,
      rows: rows.map(({ id, text }) => ({ id, text })),
      statuses: noteList.statuses,
    })
  }

  async store(ctx: HttpContext) {
    const { text } = await ctx.request.validateUsing(noteValidator)
    const actor = ctx.actor
    const accountId = accountIdOf(actor)
    const note = await Note.create({ accountId, text })
    const subject = { type: 'note' as const, id: note.id, label: text.slice(0, 40) }
    await audit({ actor, accountId, action: 'note.store', subject })
    respond(ctx, { message: 'Note kept.', data: { id: note.id }, status: 201 })
  }
}
