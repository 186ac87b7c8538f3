import { respond } from '#core/action_response'
import { auditGitAction } from '#git/audit_git_action'
import { getInstanceFolder } from '#git/instance_folder'
import { describeMissingContent, findMissingContent } from '#git/missing_content'
import { Repository } from '#git/repository'
import { branchValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

export default class CheckoutsController {
  async store(ctx: HttpContext) {
    const { branch, ...asked } = await ctx.request.validateUsing(branchValidator)
    const folder = await getInstanceFolder(ctx.actor, asked)
    const repository = new Repository(folder.machine, folder.path)
    const { branch: current, error } = await repository.checkout(branch)
    await auditGitAction(ctx, 'git.checkout', folder, { branch: current })
    const missing = await findMissingContent(folder.machine, folder.path)
    const notes = [`${current} is checked out.`, error].concat(describeMissingContent(missing))
    const message = notes.filter((note) => note !== undefined).join(' ')
    respond(ctx, { message, data: { branch: current } })
  }
}
