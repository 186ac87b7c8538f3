import { answer } from '#core/answers'
import { note } from '#git/note'
import { findPlace } from '#git/place'
import { Repository } from '#git/repository'
import { updateValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Branches that are merged or pulled into the current one. */
export default class BranchUpdatesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    const { branch, action, ...asked } = await ctx.request.validateUsing(updateValidator)
    const place = await findPlace(actor, asked)
    const changed = await new Repository(place.machine, place.path)[action](branch, actor)
    if (changed) await note(ctx, `git.${action}`, place, { branch })
    const done = action === 'merge' ? 'merged' : 'pulled'
    answer(ctx, {
      message: changed ? `${branch} is ${done} into the current branch.` : 'Already up to date.',
      data: { changed },
    })
  }
}
