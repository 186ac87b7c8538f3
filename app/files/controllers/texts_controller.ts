import { answer } from '#core/answers'
import { areaOf } from '#core/area'
import { renderPage } from '#core/page'
import { noteRead } from '#files/actions/note_read'
import { decodeText, encodeText } from '#files/encodings'
import { MAX_EDIT_BYTES, tooLargeToEdit } from '#files/errors'
import { cleanFilePath, wirePath } from '#guest/public'
import { requireInstance, requireWebRoot, webRootOf } from '#files/queries/chosen_instance'
import type { FilePage } from '#files/transformers/pages'
import { updateFile } from '#files/validators/files'
import { Refusal } from '#core/refusal'
import type { HttpContext } from '@adonisjs/core/http'

/** The editor: one text file, read and saved. */
export default class TextsController {
  async show(ctx: HttpContext) {
    const path = cleanFilePath(ctx.request.qs().path)
    const instance = await requireInstance(ctx)
    const props = { path: wirePath(path), serverInstanceId: instance.id }
    const root = await webRootOf(instance)
    try {
      const { content, version } = await root.read(path, MAX_EDIT_BYTES)
      const { text, encoding } = decodeText(content)
      await noteRead(ctx, instance, 'files.read', path)
      return render(ctx, {
        ...props,
        content: text,
        encoding,
        fileVersion: version,
        problem: null,
        isDenied: false,
      })
    } catch (error) {
      // These are told where the editor would be, with a way to download the file.
      if (!(error instanceof Refusal) || ![403, 413, 415, 503].includes(error.status)) throw error
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
    const { path, content, version, encoding } = await ctx.request.validateUsing(updateFile)
    const clean = cleanFilePath(path)
    const bytes = encodeText(content, encoding ?? 'utf-8')
    if (bytes.length > MAX_EDIT_BYTES) throw tooLargeToEdit()
    const saved = await (await requireWebRoot(ctx)).save(clean, bytes, version ?? null)
    answer(ctx, { message: 'File saved.', data: { version: saved } })
  }
}

function render(ctx: HttpContext, props: Omit<FilePage, 'area'>) {
  const area = areaOf(ctx.request.url())
  return renderPage(ctx, `${area}/file_manager/file`, { area, ...props })
}
