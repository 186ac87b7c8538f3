import { respond } from '#core/action_response'
import { note } from '#git/note'
import { findFolder } from '#git/folder'
import { Repository } from '#git/repository'
import { branchValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Local branches. */
export default class BranchesController {
  async destroy(ctx: HttpContext) {
    const { branch, ...asked } = await ctx.request.validateUsing(branchValidator)
    const folder = await findFolder(ctx.actor!, asked)
    await new Repository(folder.machine, folder.path).delete(branch)
    await note(ctx, 'git.delete-branch', folder, { branch })
    respond(ctx, { message: `${branch} deleted.` })
  }
}
