import { answer } from '#core/answers'
import { startClone } from '#git/actions/start_clone'
import { note } from '#git/note'
import { findPlace } from '#git/place'
import { cloneValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Repositories that are cloned onto an instance. */
export default class ClonesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    const asked = await ctx.request.validateUsing(cloneValidator)
    const place = await findPlace(actor, asked)
    const operation = await startClone(place, {
      repository: asked.repository,
      username: asked.username,
      password: asked.password,
      directory: asked.directory ?? '',
    })
    await note(ctx, 'git.clone', place, { target: operation.input.target })
    answer(ctx, {
      status: 202,
      message: 'Cloning has started.',
      data: { operation: operation.describe() },
    })
  }
}
