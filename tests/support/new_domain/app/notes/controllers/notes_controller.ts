import { answer } from '#core/answers'
import { accountIdOf } from '#core/contracts/actor'
import { audit } from '#core/audit/audit'
import { listPage, listRequest } from '#core/list_page'
import { renderPage } from '#core/page'
import Note from '#notes/models/note'
import { notesOf } from '#notes/queries/notes'
import { noteForm } from '#notes/validators/note'
import type { HttpContext } from '@adonisjs/core/http'

/** `/note`: what customers want to remember. */
export default class NotesController {
  async index(ctx: HttpContext) {
    const found = await listPage<Note>(notesOf(ctx.actor!), listRequest(ctx), {
      statusColumn: 'text',
    })
    const rows = found.rows.map(({ id, text }) => ({ id, text }))
    return renderPage(ctx, 'customer/note/list', { ...found, rows, statuses: {} })
  }

  async store(ctx: HttpContext) {
    const { text } = await ctx.request.validateUsing(noteForm)
    const actor = ctx.actor!
    const accountId = accountIdOf(actor)
    const note = await Note.create({ accountId, text })
    const subject = { type: 'note' as const, id: note.id, label: text.slice(0, 40) }
    await audit({ actor, accountId, action: 'note.store', subject })
    answer(ctx, { message: 'Note kept.', data: { id: note.id }, status: 201 })
  }
}
