import { respond } from '#core/action_response'
import SavedReply from '#support/models/saved_reply'
import { savedReplyValidator, savedReplyIdValidator } from '#support/validators/support'
import type { HttpContext } from '@adonisjs/core/http'

export default class SavedRepliesController {
  /** Replaces an earlier reply with the same title. */
  async store(ctx: HttpContext) {
    const { title, text } = await savedReplyValidator.validate(ctx.request.body())
    await SavedReply.updateOrCreate({ title }, { text })
    respond(ctx, { message: `The reply “${title}” is saved.`, status: 201 })
  }

  async destroy(ctx: HttpContext) {
    const { id } = await savedReplyIdValidator.validate(ctx.request.body())
    await SavedReply.query().where({ id }).delete()
    respond(ctx, { message: 'Saved reply removed.' })
  }
}
