import { respond } from '#core/action_response'
import { declaredUploadBytes, receiveFile, receiveFiles, drainBodyOnError } from '#core/upload'
import {
  uploadInterrupted,
  diskFull,
  nameExists,
  BATCH_UPLOAD_LIMITS,
  tooLargeForBatchUpload,
  tooLargeToUpload,
  tooManyForBatchUpload,
  MAX_UPLOAD_BYTES,
} from '#files/errors'
import type { WebRoot } from '#files/machine/web_root'
import { parseUploadName } from '#files/upload_name'
import { invalidPath, parsePathInWebRoot, joinPath, encodePathInWebRoot } from '#guest/public'
import { requireSelectedInstance, openInstanceWebRoot } from '#files/queries/selected_web_root'
import type { HttpContext } from '@adonisjs/core/http'
import { buffer } from 'node:stream/consumers'

/**
 * Streams the file to the instance under a temporary name, and renames it when it is complete. Our
 * pages repeat `path`, `name`, `overwrite` and `server_instance_id` in the query string. Berth can
 * then reject an upload before it receives any bytes.
 */
export default class UploadsController {
  store(ctx: HttpContext) {
    return drainBodyOnError(ctx, () => this.#store(ctx))
  }

  /**
   * Stores several small files of one form, all or none, and overwrites nothing. The name of a form
   * part may contain the percent-encoded file name, because browsers change line breaks and quotes
   * in the file name field.
   */
  storeMany(ctx: HttpContext) {
    return drainBodyOnError(ctx, () => this.#storeMany(ctx))
  }

  async #storeMany(ctx: HttpContext) {
    const root = await openInstanceWebRoot(await requireSelectedInstance(ctx))
    const { path } = ctx.request.qs()
    if (path === undefined)
      throw invalidPath('Send the folder as “path” in the query string.', 'path')
    const folder = parsePathInWebRoot(path)
    const files = await root.receiveMany(folder)
    try {
      const names = await receiveFiles(ctx, {
        limit: BATCH_UPLOAD_LIMITS.bytes,
        maxFiles: BATCH_UPLOAD_LIMITS.files,
        // Allows the same size again for form headers, which can be as large as small files.
        total: 2 * BATCH_UPLOAD_LIMITS.total,
        cutOff: uploadInterrupted,
        missing,
        tooLarge: tooLargeForBatchUpload,
        tooMany: tooManyForBatchUpload,
        async keep(bytes, sentName, part) {
          const name = parseUploadName(part === 'file' ? sentName : decoded(part))
          await files.add(name, await buffer(bytes))
          return name
        },
        discard: async () => {},
      })
      await files.end()
      const count = names.length === 1 ? names[0] : `${names.length} files`
      const paths = names.map((name) => encodePathInWebRoot(joinPath(folder, name)))
      respond(ctx, { status: 201, message: `${count} uploaded.`, data: { paths } })
    } catch (error) {
      await files.drop().catch(() => {})
      throw error
    }
  }

  async #store(ctx: HttpContext) {
    const { request } = ctx
    if (declaredUploadBytes(ctx) > MAX_UPLOAD_BYTES) throw tooLargeToUpload()
    const instance = await requireSelectedInstance(ctx)
    const root = await openInstanceWebRoot(instance)
    await rejectEarly(ctx, root)
    const { temporary, given } = await receive(ctx, root)
    try {
      const named = request.input('server_instance_id')
      if (named && String(named) !== String(instance.id)) {
        throw invalidPath(
          'Send server_instance_id in the query string, not in the form.',
          'server_instance_id'
        )
      }
      const folder = parsePathInWebRoot(request.input('path'))
      const name = parseUploadName(request.input('name') ?? given)
      await root.putFile(temporary, joinPath(folder, name), overwrites(ctx))
      respond(ctx, {
        status: 201,
        message: `${name} uploaded.`,
        data: { path: encodePathInWebRoot(joinPath(folder, name)) },
      })
    } catch (error) {
      await root.discard(temporary).catch(() => {})
      throw error
    }
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalidPath('The name is not encoded correctly.', 'file')
  }
}

const missing = () => invalidPath('Choose a file.', 'file')

function overwrites({ request }: HttpContext): boolean {
  return ['1', 'true', 'yes'].includes(String(request.input('overwrite')))
}

/**
 * Rejects an upload by its query string if the name exists or the disk is too small. The body has
 * not arrived yet.
 */
async function rejectEarly(ctx: HttpContext, root: WebRoot): Promise<void> {
  const { path, name, overwrite } = ctx.request.qs()
  const fileName = name === undefined ? '.probe' : parseUploadName(name)
  const { existing, free } = await root.inspectPath(joinPath(parsePathInWebRoot(path), fileName))
  const wish = ['1', 'true', 'yes'].includes(String(overwrite))
  if (name !== undefined && existing !== 'nothing' && (existing === 'folder' || !wish)) {
    throw nameExists(fileName)
  }
  if (declaredUploadBytes(ctx) > free) throw diskFull()
}

/** Returns the file's temporary name, and the name that the client sent. */
function receive(ctx: HttpContext, root: WebRoot) {
  return receiveFile(ctx, {
    limit: MAX_UPLOAD_BYTES,
    tooLarge: tooLargeToUpload,
    cutOff: uploadInterrupted,
    missing,
    keep: async (bytes, sentName) => ({ temporary: await root.receive(bytes), given: sentName }),
    discard: ({ temporary }) => root.discard(temporary),
  })
}
