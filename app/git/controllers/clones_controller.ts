import { respond } from '#core/action_response'
import { startClone } from '#git/actions/start_clone'
import { note } from '#git/note'
import { findFolder } from '#git/folder'
import { cloneValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Repositories that are cloned onto an instance. */
export default class ClonesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    const asked = await ctx.request.validateUsing(cloneValidator)
    const folder = await findFolder(actor, asked)
    const { repository, username, password } = asked
    const { operation, trusted } = await startClone(folder, {
      repository,
      credentials: username && password ? { username, password } : null,
      directory: asked.directory ?? '',
      hostKey: asked.host_key ?? undefined,
    })
    if (trusted) await note(ctx, 'git.trust-server', folder, { repository, key: trusted })
    await note(ctx, 'git.clone', folder, { target: operation.input.target })
    respond(ctx, {
      status: 202,
      message: 'Cloning has started.',
      data: { operation: operation.describe() },
    })
  }
}
