import { respond } from '#core/action_response'
import { drainBodyOnError, streamBody } from '#core/upload'
import {
  diskFull,
  MAX_PART_BYTES,
  MAX_UPLOAD_BYTES,
  nameExists,
  partTooLarge,
  tooLargeToUpload,
  uploadInterrupted,
} from '#files/errors'
import type { WebRoot } from '#files/machine/web_root'
import { parseUploadName } from '#files/upload_name'
import { openInstanceWebRoot, requireSelectedInstance } from '#files/queries/selected_web_root'
import { type PartClaim, RunningUploadParts } from '#files/running_parts'
import { type UnfinishedUpload, unfinishedUpload } from '#files/unfinished_upload'
import {
  finishUploadValidator,
  resumableUploadValidator,
  uploadPartValidator,
} from '#files/validators/files'
import { encodePathInWebRoot, joinPath, parsePathInWebRoot } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

const runningParts = new RunningUploadParts()

interface ResumableUpload {
  root: WebRoot
  upload: UnfinishedUpload
  claim: PartClaim
  path: string
  name: string
  overwrite: boolean
}

/**
 * Receives a large file in parts, so that the upload can continue after a lost connection. Each
 * request names the file in its query string (`resumableUploadValidator`).
 */
export default class ResumableUploadsController {
  /**
   * Returns the offset at which the upload continues, and ends an earlier connection. Rejects the
   * request while another tab sends the file. Also rejects an upload that would fail at its end: the
   * name exists, or the disk is too small.
   */
  async resume(ctx: HttpContext) {
    const { root, upload, claim, overwrite, path, name } = await load(ctx)
    await runningParts.interrupt(claim)
    const { existing, free } = await root.inspectPath(path)
    if (existing === 'folder' || (existing === 'file' && !overwrite)) throw nameExists(name)
    const { offset, otherVersionBytes } = await root.uploadProgress(upload)
    // The first part deletes unfinished uploads of other versions of the file, which frees their space.
    const available = offset === 0 ? free + otherVersionBytes : free
    if (upload.size - offset > available) throw diskFull()
    const progress = { offset, hasOtherVersion: otherVersionBytes > 0 }
    respond(ctx, { message: 'Continue from this offset.', data: { progress } })
  }

  /** Receives the bytes from `offset`, where the stored part ends, to `end`. */
  update(ctx: HttpContext) {
    return drainBodyOnError(ctx, async () => {
      const { root, upload, claim } = await load(ctx)
      const { offset, end } = await uploadPartValidator.validate(ctx.request.qs())
      if (end > upload.size) throw tooLargeToUpload()
      if (end - offset > MAX_PART_BYTES) throw partTooLarge()
      await runningParts.run(claim, (signal, onChunk) => {
        const content = streamBody(ctx, {
          limit: end - offset,
          tooLarge: partTooLarge,
          cutOff: uploadInterrupted,
          signal,
          onChunk,
        })
        return root.receivePart(upload, { offset, end }, content)
      })
      respond(ctx, { message: 'Part received.' })
    })
  }

  async store(ctx: HttpContext) {
    const { hash } = await ctx.request.validateUsing(finishUploadValidator)
    const { root, upload, path, name, overwrite } = await load(ctx)
    await root.finishUpload(upload, path, { overwrite, hash })
    const data = { path: encodePathInWebRoot(path) }
    respond(ctx, { status: 201, message: `${name} uploaded.`, data })
  }

  async destroy(ctx: HttpContext) {
    const { root, upload, claim } = await load(ctx)
    await runningParts.interrupt(claim)
    await root.discard(upload.temporary)
    respond(ctx, { message: 'Upload cancelled.' })
  }
}

async function load(ctx: HttpContext): Promise<ResumableUpload> {
  const instance = await requireSelectedInstance(ctx)
  const input = await resumableUploadValidator.validate(ctx.request.qs())
  if (input.size > MAX_UPLOAD_BYTES) throw tooLargeToUpload()
  const name = parseUploadName(input.name)
  const path = joinPath(parsePathInWebRoot(input.path), name)
  const personId = ctx.actor.id
  const upload = unfinishedUpload(personId, path, input)
  const claim = { key: `${instance.id} ${upload.prefix}`, personId, tab: input.tab }
  const root = await openInstanceWebRoot(instance)
  return { root, upload, claim, path, name, overwrite: input.overwrite ?? false }
}
