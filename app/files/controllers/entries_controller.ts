import { respond } from '#core/action_response'
import {
  invalidPath,
  parseFilePathInWebRoot,
  parseFileName,
  parsePathInWebRoot,
  joinPath,
  encodePathInWebRoot,
} from '#guest/public'
import { openSelectedWebRoot } from '#files/queries/selected_web_root'
import {
  deleteEntryValidator,
  renameEntryValidator,
  createEntryValidator,
} from '#files/validators/files'
import type { HttpContext } from '@adonisjs/core/http'

export default class EntriesController {
  async store(ctx: HttpContext) {
    const { path, name, type } = await ctx.request.validateUsing(createEntryValidator)
    const folder = parsePathInWebRoot(path)
    const clean = parseFileName(name)
    await (await openSelectedWebRoot(ctx)).make(folder, type, clean)
    const message = type === 'folder' ? 'Folder added.' : 'File added.'
    respond(ctx, {
      status: 201,
      message,
      data: { path: encodePathInWebRoot(joinPath(folder, clean)) },
    })
  }

  async destroy(ctx: HttpContext) {
    const { type, path } = await ctx.request.validateUsing(deleteEntryValidator)
    const clean = parseFilePathInWebRoot(path)
    await (await openSelectedWebRoot(ctx)).delete(clean, type)
    respond(ctx, { message: type === 'folder' ? 'Folder deleted.' : 'File deleted.' })
  }

  async rename(ctx: HttpContext) {
    const { oldPath, newPath } = await ctx.request.validateUsing(renameEntryValidator)
    const from = parseFilePathInWebRoot(oldPath, 'oldPath')
    const to = parseFilePathInWebRoot(newPath, 'newPath')
    if (from === to) throw invalidPath('Enter a different name.', 'newPath')
    // Checks only the new name. The old name may be invalid, because programs in the instance can
    // create any name.
    parseFileName(newPath.split('/').at(-1), 'newPath')
    await (await openSelectedWebRoot(ctx)).rename(from, to)
    respond(ctx, { message: 'Renamed.', data: { path: encodePathInWebRoot(to) } })
  }
}
