import { respond } from '#core/action_response'
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
    const { branch, action, keep_conflicts, ...asked } =
      await ctx.request.validateUsing(updateValidator)
    const folder = await findFolder(actor, asked)
    const repository = new Repository(folder.machine, folder.path, (address) =>
      sshAccess(folder.instance, address)
    )
    const merged = await repository[action](branch, actor, keep_conflicts === true)
    const done = action === 'merge' ? 'merged' : 'pulled'
    const words = {
      unchanged: 'The branch is already up to date.',
      changed: `${branch} is ${done} into the current branch.`,
      open: 'Merge started. Resolve its conflicts, then finish it.',
    }
    if (merged === 'changed') await note(ctx, `git.${action}`, folder, { branch })
    if (merged === 'open') await note(ctx, 'git.begin-merge', folder, { branch })
    respond(ctx, {
      message: words[merged],
      data: { changed: merged !== 'unchanged', ...(merged === 'open' && { merging: true }) },
    })
  }
}
