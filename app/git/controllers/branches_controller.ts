import { answer } from '#core/answers'
import { note } from '#git/note'
import { findPlace } from '#git/place'
import { Repository } from '#git/repository'
import { branchValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Local branches. */
export default class BranchesController {
  async destroy(ctx: HttpContext) {
    const { branch, ...asked } = await ctx.request.validateUsing(branchValidator)
    const place = await findPlace(ctx.actor!, asked)
    await new Repository(place.machine, place.path).delete(branch)
    await note(ctx, 'git.delete-branch', place, { branch })
    answer(ctx, { message: `${branch} is deleted.` })
  }
}
