import { respond } from '#core/action_response'
import { getInstanceFolder } from '#git/instance_folder'
import { auditGitAction } from '#git/audit_git_action'
import { Repository } from '#git/repository'
import { folderValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

export default class IndexLocksController {
  async destroy(ctx: HttpContext) {
    const folder = await getInstanceFolder(
      ctx.actor,
      await ctx.request.validateUsing(folderValidator)
    )
    await new Repository(folder.machine, folder.path).removeLock()
    await auditGitAction(ctx, 'git.remove-lock', folder, {})
    respond(ctx, { message: 'Lock removed. Run the git command again.' })
  }
}
