import { respond } from '#core/action_response'
import { auditGitAction } from '#git/audit_git_action'
import { getInstanceFolder } from '#git/instance_folder'
import { Repository } from '#git/repository'
import { branchValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

export default class BranchDeletionsController {
  async destroy(ctx: HttpContext) {
    const { branch, ...asked } = await ctx.request.validateUsing(branchValidator)
    const folder = await getInstanceFolder(ctx.actor, asked)
    await new Repository(folder.machine, folder.path).delete(branch)
    await auditGitAction(ctx, 'git.delete-branch', folder, { branch })
    respond(ctx, { message: `${branch} deleted.` })
  }
}
