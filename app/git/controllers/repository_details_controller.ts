import { respond } from '#core/action_response'
import { AppError } from '#core/app_error'
import { getInstanceFolder } from '#git/instance_folder'
import { Repository } from '#git/repository'
import { folderValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** `git` is null if the folder has no repository. */
export default class RepositoryDetailsController {
  async show(ctx: HttpContext) {
    const query = await folderValidator.validate(ctx.request.qs())
    const { machine, path } = await getInstanceFolder(ctx.actor, query)
    const git = await new Repository(machine, path).details().catch(orNone)
    respond(ctx, { message: '', data: { git } })
  }
}

function orNone(error: unknown): null {
  if (error instanceof AppError && error.code === 'no_repository') return null
  throw error
}
