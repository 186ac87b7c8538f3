import { respond } from '#core/action_response'
import {
  invalidPath,
  cleanFilePath,
  cleanName,
  cleanPath,
  joinPath,
  encodePath,
} from '#guest/public'
import { requireWebRoot } from '#files/queries/selected_web_root'
import {
  deleteEntryValidator,
  renameEntryValidator,
  createEntryValidator,
} from '#files/validators/files'
import type { HttpContext } from '@adonisjs/core/http'

/** Files and folders as such: made, renamed, deleted. */
export default class EntriesController {
  async store(ctx: HttpContext) {
    const { path, name, type } = await ctx.request.validateUsing(createEntryValidator)
    const folder = cleanPath(path)
    const clean = cleanName(name)
    await (await requireWebRoot(ctx)).make(folder, type, clean)
    const message = type === 'folder' ? 'Folder added.' : 'File added.'
    respond(ctx, { status: 201, message, data: { path: encodePath(joinPath(folder, clean)) } })
  }

  async destroy(ctx: HttpContext) {
    const { type, path } = await ctx.request.validateUsing(deleteEntryValidator)
    const clean = cleanFilePath(path)
    await (await requireWebRoot(ctx)).delete(clean, type)
    respond(ctx, { message: type === 'folder' ? 'Folder deleted.' : 'File deleted.' })
  }

  async rename(ctx: HttpContext) {
    const { oldPath, newPath } = await ctx.request.validateUsing(renameEntryValidator)
    const from = cleanFilePath(oldPath, 'oldPath')
    const to = cleanFilePath(newPath, 'newPath')
    if (from === to) throw invalidPath('Enter a different name.', 'newPath')
    // A name that plain text cannot carry may be left, not given.
    cleanName(newPath.split('/').at(-1), 'newPath')
    await (await requireWebRoot(ctx)).rename(from, to)
    respond(ctx, { message: 'Renamed.', data: { path: encodePath(to) } })
  }
}
