import { respond } from '#core/action_response'
import { loadSshCredentials } from '#git/deploy_keys'
import { auditGitAction } from '#git/audit_git_action'
import { getInstanceFolder } from '#git/instance_folder'
import { describeMissingContent, findMissingContent } from '#git/missing_content'
import { Repository } from '#git/repository'
import { branchUpdateValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

export default class MergesAndPullsController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor
    const { branch, action, keep_conflicts, ...asked } =
      await ctx.request.validateUsing(branchUpdateValidator)
    const folder = await getInstanceFolder(actor, asked)
    const repository = new Repository(folder.machine, folder.path, (address) =>
      loadSshCredentials(folder.instance, address)
    )
    const merged = await repository[action](branch, actor, keep_conflicts === true)
    const done = action === 'merge' ? 'merged' : 'pulled'
    const labels = {
      unchanged: 'The branch is already up to date.',
      changed: `${branch} is ${done} into the current branch.`,
      conflicts: 'Merge started. Resolve its conflicts, then finish it.',
    }
    if (merged === 'changed') await auditGitAction(ctx, `git.${action}`, folder, { branch })
    if (merged === 'conflicts') await auditGitAction(ctx, 'git.begin-merge', folder, { branch })
    const notes =
      merged === 'changed'
        ? describeMissingContent(await findMissingContent(folder.machine, folder.path))
        : []
    respond(ctx, {
      message: [labels[merged]].concat(notes).join(' '),
      data: { changed: merged !== 'unchanged', ...(merged === 'conflicts' && { merging: true }) },
    })
  }
}
