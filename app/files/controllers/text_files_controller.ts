import { respond } from '#core/action_response'
import { siteAreaOf } from '#core/request_kind'
import { renderPage } from '#core/render_page'
import { auditFileRead } from '#files/actions/audit_file_read'
import { decodeText, encodeText } from '#files/encodings'
import { MAX_EDIT_BYTES, tooLargeToEdit } from '#files/errors'
import { parseFilePathInWebRoot, encodePathInWebRoot } from '#guest/public'
import {
  requireSelectedInstance,
  openSelectedWebRoot,
  openInstanceWebRoot,
} from '#files/queries/selected_web_root'
import type { FilePage } from '#files/transformers/page_props'
import { updateFileValidator } from '#files/validators/files'
import { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

export default class TextFilesController {
  async show(ctx: HttpContext) {
    const path = parseFilePathInWebRoot(ctx.request.qs().path)
    const instance = await requireSelectedInstance(ctx)
    const props = { path: encodePathInWebRoot(path), serverInstanceId: instance.id }
    const root = await openInstanceWebRoot(instance)
    try {
      const { content, version } = await root.read(path, MAX_EDIT_BYTES)
      const { text, encoding } = decodeText(content)
      await auditFileRead(ctx, instance, 'files.read', path)
      return render(ctx, {
        ...props,
        content: text,
        encoding,
        fileVersion: version,
        problem: null,
        isDenied: false,
      })
    } catch (error) {
      // The page loads despite these errors, and shows them in place of the editor.
      if (!(error instanceof AppError) || ![403, 413, 415, 503].includes(error.status)) throw error
      return render(ctx, {
        ...props,
        content: null,
        encoding: null,
        fileVersion: null,
        problem: error.message,
        isDenied: error.code === 'denied',
      })
    }
  }

  async update(ctx: HttpContext) {
    const { path, content, version, encoding } =
      await ctx.request.validateUsing(updateFileValidator)
    const clean = parseFilePathInWebRoot(path)
    const bytes = encodeText(content, encoding ?? 'utf-8')
    if (bytes.length > MAX_EDIT_BYTES) throw tooLargeToEdit()
    const saved = await (await openSelectedWebRoot(ctx)).save(clean, bytes, version ?? null)
    respond(ctx, { message: 'File saved.', data: { version: saved } })
  }
}

function render(ctx: HttpContext, props: Omit<FilePage, 'area'>) {
  const area = siteAreaOf(ctx.request.url())
  return renderPage(ctx, `${area}/file_manager/file`, { area, ...props })
}
