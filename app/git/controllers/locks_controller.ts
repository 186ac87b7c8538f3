import { respond } from '#core/action_response'
import { findFolder } from '#git/folder'
import { note } from '#git/note'
import { Repository } from '#git/repository'
import { detailsValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** What git leaves behind where it is broken off. */
export default class LocksController {
  async destroy(ctx: HttpContext) {
    const folder = await findFolder(ctx.actor!, await ctx.request.validateUsing(detailsValidator))
    await new Repository(folder.machine, folder.path).removeLock()
    await note(ctx, 'git.remove-lock', folder, {})
    respond(ctx, { message: 'Lock removed. Run the git command again.' })
  }
}
