import { respond } from '#core/action_response'
import Reply from '#support/models/reply'
import { replyForm, replyIdForm } from '#support/validators/support'
import type { HttpContext } from '@adonisjs/core/http'

/** Saved replies, the same for all staff. */
export default class RepliesController {
  /** `{ title, text }`; one of this title is replaced. */
  async store(ctx: HttpContext) {
    const { title, text } = await replyForm.validate(ctx.request.body())
    await Reply.updateOrCreate({ title }, { text })
    respond(ctx, { message: `The reply “${title}” is saved.`, status: 201 })
  }

  /** `{ id }` */
  async destroy(ctx: HttpContext) {
    const { id } = await replyIdForm.validate(ctx.request.body())
    await Reply.query().where({ id }).delete()
    respond(ctx, { message: 'Saved reply removed.' })
  }
}
