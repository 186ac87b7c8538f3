import { answer } from '#core/answers'
import { sshAccess } from '#git/deploy_keys'
import { note } from '#git/note'
import { findFolder } from '#git/folder'
import { Repository } from '#git/repository'
import { updateValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Branches that are merged or pulled into the current one. */
export default class BranchUpdatesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    const { branch, action, ...asked } = await ctx.request.validateUsing(updateValidator)
    const folder = await findFolder(actor, asked)
    const repository = new Repository(folder.machine, folder.path, (address) =>
      sshAccess(folder.instance, address)
    )
    const changed = await repository[action](branch, actor)
    if (changed) await note(ctx, `git.${action}`, folder, { branch })
    const done = action === 'merge' ? 'merged' : 'pulled'
    answer(ctx, {
      message: changed ? `${branch} is ${done} into the current branch.` : 'Already up to date.',
      data: { changed },
    })
  }
}
