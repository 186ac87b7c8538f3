import { respond } from '#core/action_response'
import { invalid } from '#core/app_error'
import { nameExists } from '#files/errors'
import { invalidPath, parseFilePathInWebRoot, parsePathInWebRoot, splitPath } from '#guest/public'
import { openSelectedWebRoot } from '#files/queries/selected_web_root'
import {
  changeModeValidator,
  deleteEntriesValidator,
  copyOrMoveValidator,
} from '#files/validators/files'
import type { HttpContext } from '@adonisjs/core/http'

export default class BulkFileActionsController {
  async copy(ctx: HttpContext) {
    const { paths, folder } = await validateCopyOrMove(ctx)
    await (await openSelectedWebRoot(ctx)).copy(paths, folder)
    respond(ctx, { message: `${named(paths)} copied.`, data: { count: paths.length } })
  }

  async move(ctx: HttpContext) {
    const { paths, folder } = await validateCopyOrMove(ctx)
    await (await openSelectedWebRoot(ctx)).move(paths, folder)
    respond(ctx, { message: `${named(paths)} moved.`, data: { count: paths.length } })
  }

  async destroy(ctx: HttpContext) {
    const input = await ctx.request.validateUsing(deleteEntriesValidator)
    const paths = uniqueSeparatePaths(input.paths)
    await (await openSelectedWebRoot(ctx)).deleteMany(paths)
    respond(ctx, { message: `${named(paths)} deleted.`, data: { count: paths.length } })
  }

  async changeMode(ctx: HttpContext) {
    const input = await ctx.request.validateUsing(changeModeValidator)
    const mode = plainMode(input.mode)
    const paths = uniqueSeparatePaths(input.paths)
    await (await openSelectedWebRoot(ctx)).changeMode(paths, mode, input.recursive ?? false)
    respond(ctx, { message: `Mode of ${named(paths)} changed.`, data: { count: paths.length } })
  }
}

async function validateCopyOrMove(ctx: HttpContext) {
  const input = await ctx.request.validateUsing(copyOrMoveValidator)
  const paths = uniqueSeparatePaths(input.paths)
  const names = new Set<string>()
  for (const path of paths) {
    const { name } = splitPath(path)
    if (names.has(name)) throw nameExists(name)
    names.add(name)
  }
  return { paths, folder: parsePathInWebRoot(input.folder, 'folder') }
}

/**
 * Removes duplicates.
 * @throws 422 if a path is inside another selected folder, whose action would include it
 */
function uniqueSeparatePaths(selectedPaths: string[]): string[] {
  const paths = new Set(selectedPaths.map((path) => parseFilePathInWebRoot(path, 'paths')))
  for (const path of paths) {
    for (let { folder } = splitPath(path); folder; { folder } = splitPath(folder)) {
      if (paths.has(folder)) {
        throw invalidPath('Choose either a folder or files inside it, not both.', 'paths')
      }
    }
  }
  return [...paths]
}

/**
 * Returns the mode's last three digits. Rejects setuid and setgid, which would run a program as
 * another user, and the sticky bit.
 */
function plainMode(mode: string): string {
  if (mode.length === 4 && !mode.startsWith('0')) {
    const message =
      'The setuid, setgid and sticky bits cannot be set here. Enter three digits, such as 644.'
    throw invalid({ mode: message })
  }
  return mode.slice(-3)
}

function named(paths: string[]): string {
  return paths.length === 1 ? splitPath(paths[0]!).name.toWellFormed() : `${paths.length} items`
}
