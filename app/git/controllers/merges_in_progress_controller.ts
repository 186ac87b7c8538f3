import { respond } from '#core/action_response'
import { getInstanceFolder } from '#git/instance_folder'
import { auditGitAction } from '#git/audit_git_action'
import { MergeInProgress, type ConflictResolution } from '#git/merge_in_progress'
import { describeMissingContent, findMissingContent } from '#git/missing_content'
import {
  conflictValidator,
  folderValidator,
  conflictResolutionValidator,
} from '#git/validators/git'
import { parsePathInWebRoot } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

export default class MergesInProgressController {
  async show(ctx: HttpContext) {
    const input = await folderValidator.validate(ctx.request.qs())
    const { machine, path } = await getInstanceFolder(ctx.actor, input)
    respond(ctx, { message: '', data: { merge: await new MergeInProgress(machine, path).read() } })
  }

  async sides(ctx: HttpContext) {
    const { file, ...asked } = await conflictValidator.validate(ctx.request.qs())
    const { machine, path } = await getInstanceFolder(ctx.actor, asked)
    const name = parsePathInWebRoot(file, 'file')
    respond(ctx, {
      message: '',
      data: { sides: await new MergeInProgress(machine, path).sides(name) },
    })
  }

  async solve(ctx: HttpContext) {
    const { file, keep, text, ...asked } = await ctx.request.validateUsing(
      conflictResolutionValidator
    )
    const folder = await getInstanceFolder(ctx.actor, asked)
    const solution: ConflictResolution = keep === 'text' ? { keep, text: text ?? '' } : { keep }
    await new MergeInProgress(folder.machine, folder.path).solve(
      parsePathInWebRoot(file, 'file'),
      solution
    )
    await auditGitAction(ctx, 'git.solve-conflict', folder, { file, keep })
    respond(ctx, { message: `${file} resolved.` })
  }

  async finish(ctx: HttpContext) {
    const folder = await getInstanceFolder(
      ctx.actor,
      await ctx.request.validateUsing(folderValidator)
    )
    await new MergeInProgress(folder.machine, folder.path).finish(ctx.actor)
    await auditGitAction(ctx, 'git.finish-merge', folder, {})
    const missing = await findMissingContent(folder.machine, folder.path)
    const notes = ['The merge is finished.'].concat(describeMissingContent(missing))
    respond(ctx, { message: notes.join(' ') })
  }

  async abort(ctx: HttpContext) {
    const folder = await getInstanceFolder(
      ctx.actor,
      await ctx.request.validateUsing(folderValidator)
    )
    await new MergeInProgress(folder.machine, folder.path).abort()
    await auditGitAction(ctx, 'git.abort-merge', folder, {})
    respond(ctx, { message: 'Merge aborted. Nothing was changed.' })
  }
}
