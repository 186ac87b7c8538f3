import { respond } from '#core/action_response'
import { findFolder } from '#git/folder'
import { note } from '#git/note'
import { MergeInProgress, type Solution } from '#git/open_merge'
import { conflictValidator, detailsValidator, solveValidator } from '#git/validators/git'
import { cleanPath } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

/** A merge that was begun, its conflicts, and the two ways out of it. */
export default class MergesController {
  async show(ctx: HttpContext) {
    const asked = await detailsValidator.validate(ctx.request.qs())
    const { machine, path } = await findFolder(ctx.actor!, asked)
    respond(ctx, { message: '', data: { merge: await new MergeInProgress(machine, path).read() } })
  }

  /** Both sides of one file. */
  async sides(ctx: HttpContext) {
    const { file, ...asked } = await conflictValidator.validate(ctx.request.qs())
    const { machine, path } = await findFolder(ctx.actor!, asked)
    const name = cleanPath(file, 'file')
    respond(ctx, {
      message: '',
      data: { sides: await new MergeInProgress(machine, path).sides(name) },
    })
  }

  async solve(ctx: HttpContext) {
    const { file, keep, text, ...asked } = await ctx.request.validateUsing(solveValidator)
    const folder = await findFolder(ctx.actor!, asked)
    const solution: Solution = keep === 'text' ? { keep, text: text ?? '' } : { keep }
    await new MergeInProgress(folder.machine, folder.path).solve(cleanPath(file, 'file'), solution)
    await note(ctx, 'git.solve-conflict', folder, { file, keep })
    respond(ctx, { message: `${file} resolved.` })
  }

  async finish(ctx: HttpContext) {
    const folder = await findFolder(ctx.actor!, await ctx.request.validateUsing(detailsValidator))
    await new MergeInProgress(folder.machine, folder.path).finish(ctx.actor!)
    await note(ctx, 'git.finish-merge', folder, {})
    respond(ctx, { message: 'The merge is finished.' })
  }

  async abort(ctx: HttpContext) {
    const folder = await findFolder(ctx.actor!, await ctx.request.validateUsing(detailsValidator))
    await new MergeInProgress(folder.machine, folder.path).abort()
    await note(ctx, 'git.abort-merge', folder, {})
    respond(ctx, { message: 'Merge aborted. Nothing was changed.' })
  }
}
