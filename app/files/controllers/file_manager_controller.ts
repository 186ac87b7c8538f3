import { siteAreaOf } from '#core/request_kind'
import { renderPage } from '#core/render_page'
import { parsePathInWebRoot, encodePathInWebRoot } from '#guest/public'
import { listInstanceChoices, openInstanceWebRoot } from '#files/queries/selected_web_root'
import {
  MAX_FILES_PER_CALL,
  MIN_RESUMABLE_BYTES,
  BATCH_UPLOAD_LIMITS,
  MAX_UPLOAD_BYTES,
} from '#files/errors'
import type { FolderListing } from '#files/machine/web_root'
import { findSelectedInstance, instanceCan, type ServerInstance } from '#instances/public'
import { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

export default class FileManagerController {
  async index(ctx: HttpContext) {
    const path = parsePathInWebRoot(ctx.request.qs().path)
    const instance = await findSelectedInstance(ctx)
    const { listing, problem, isDenied = false } = await listFolderOrProblem(instance, path)
    const area = siteAreaOf(ctx.request.url())
    return renderPage(ctx, `${area}/file_manager/list`, {
      area,
      path: encodePathInWebRoot(path),
      ...listing,
      problem,
      isDenied,
      serverInstances: await listInstanceChoices(ctx, instance),
      serverInstanceId: instance?.id ?? null,
      uploadLimit: MAX_UPLOAD_BYTES,
      uploadTogether: BATCH_UPLOAD_LIMITS,
      resumableAbove: MIN_RESUMABLE_BYTES,
      atOnce: MAX_FILES_PER_CALL,
      git: null,
    })
  }
}

/**
 * Lists the folder, or returns why it cannot be listed. The page must load even if the instance is
 * unreachable, so that the user can select another one.
 * @throws 404 if the folder does not exist
 */
async function listFolderOrProblem(
  instance: ServerInstance | null,
  path: string
): Promise<{ listing: FolderListing; problem: string | null; isDenied?: boolean }> {
  const listing: FolderListing = { directories: [], files: [] }
  if (!instance) return { listing, problem: null }
  const { allowed, reason } = instanceCan('manage', instance)
  if (!allowed) return { listing, problem: reason }
  try {
    return { listing: await (await openInstanceWebRoot(instance)).list(path), problem: null }
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 404) throw error
    return { listing, problem: error.message, isDenied: error.code === 'denied' }
  }
}
