import { respond } from '#core/action_response'
import { requireSelectedInstance } from '#files/queries/selected_web_root'
import { fixWebRootOwnership } from '#guest/public_effects'
import { connectToActiveInstance } from '#instances/public_effects'
import type { HttpContext } from '@adonisjs/core/http'

/** Gives root's files in the web root to its owner, and lets the owner change files of other users. */
export default class OwnershipFixesController {
  async store(ctx: HttpContext) {
    const instance = await requireSelectedInstance(ctx)
    const changed = await fixWebRootOwnership(await connectToActiveInstance(instance))
    const what =
      changed === 1 ? '1 file or folder' : `${changed.toLocaleString('en')} files and folders`
    const message =
      changed === 0
        ? 'All files already have the right owner. Nothing was changed.'
        : `${what} fixed.`
    respond(ctx, { message, data: { changed } })
  }
}
