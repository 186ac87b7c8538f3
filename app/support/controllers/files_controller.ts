import { respond } from '#core/action_response'
import { drainBodyOnError } from '#core/upload'
import { storeFiles, attachmentObjectName } from '#support/actions/store_files'
import { fileNotFound } from '#support/errors'
import { servedType } from '#support/file_types'
import { getAttachment } from '#support/queries/messages'
import { openSystemBucketFile } from '#vault/public'
import type { HttpContext } from '@adonisjs/core/http'
import { pipeline } from 'node:stream/promises'

/**
 * Stores and serves files of messages. A file is uploaded before its message is sent. Until then,
 * only the person who uploaded it can read it; afterwards, the customer and staff.
 */
export default class FilesController {
  /** Stores the files of a multipart form with the fields `type` and `photo_{n}` or `doc_{n}`. */
  async store(ctx: HttpContext) {
    await drainBodyOnError(ctx, async () => {
      const files = await storeFiles(ctx)
      const chatFiles = files.map(({ id, path }) => ({ id, file: path }))
      respond(ctx, { message: '', data: { chatFiles }, status: 201 })
    })
  }

  /**
   * Serves a file: photos for display, others as downloads. Browsers never treat it as HTML
   * (docs/product.md, "Live support").
   */
  async show(ctx: HttpContext) {
    const file = await getAttachment(ctx.actor, ctx.params.file)
    const stored = await openSystemBucketFile(attachmentObjectName(file))
    if (!stored) throw fileNotFound()
    const { response } = ctx
    const isPhoto = file.kind === 'photo'
    response.header('content-type', servedType(file.kind, file.extension))
    response.header('content-disposition', disposition(file.name, isPhoto))
    response.header('content-security-policy', "sandbox; default-src 'none'")
    response.header('cross-origin-resource-policy', 'same-origin')
    if (stored.length) response.header('content-length', stored.length)
    response.relayHeaders()
    const raw = response.response
    raw.writeHead(200)
    // Stops reading if the client disconnects. If reading fails, closes the connection, so that the
    // client notices the missing bytes.
    await pipeline(stored.bytes, raw).catch(() => raw.destroy())
  }
}

/** The header contains the name twice: in ASCII and in full (RFC 6266, RFC 8187). */
function disposition(name: string, inline: boolean): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  const full = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, hex)
  return `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${full}`
}
