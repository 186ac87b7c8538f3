import { respond } from '#core/action_response'
import { startClone } from '#git/actions/start_clone'
import { auditGitAction } from '#git/audit_git_action'
import { getInstanceFolder } from '#git/instance_folder'
import { cloneValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

export default class ClonesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor
    const input = await cloneValidator.validate(ctx.request.body())
    const folder = await getInstanceFolder(actor, input)
    const { repository, username, password } = input
    const { operation, trusted } = await startClone(folder, {
      repository,
      credentials: username && password ? { username, password } : null,
      directory: input.directory ?? '',
      hostKey: input.host_key ?? undefined,
    })
    if (trusted) await auditGitAction(ctx, 'git.trust-server', folder, { repository, key: trusted })
    await auditGitAction(ctx, 'git.clone', folder, { target: operation.input.target })
    respond(ctx, {
      status: 202,
      message: 'Cloning has started.',
      data: { operation: operation.describe() },
    })
  }
}
