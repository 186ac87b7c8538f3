import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import {
  deleteFiles,
  deleteFolder,
  joinObjectName,
  createFolder,
  createUploadLink,
} from '#vault/actions/objects'
import { auditVault } from '#vault/actions/change_vault'
import { urlOfSignedPath } from '#vault/vault_urls'
import { OBJECTS_PER_PAGE } from '#vault/limits'
import { getVault } from '#vault/queries/vaults'
import { callVaultService } from '#vault/call_vault_service'
import { assertVaultUsable } from '#vault/states/vault'
import { objectListing } from '#vault/transformers/vault'
import {
  deleteObjectValidator,
  bulkDeleteValidator,
  createFolderValidator,
  objectListValidator,
  objectNameValidator,
  shareLinkValidator,
  uploadValidator,
} from '#vault/validators/vault'
import { getUsableVault } from '#vault/controllers/controller_helpers'
import type { HttpContext } from '@adonisjs/core/http'

/** Validity of a link to view a file. Long, because a video player requests parts of the same URL repeatedly. */
const VIEW_LINK_SECONDS = 3_600

/** POST requests contain the vault's id in the field `vault_id`; GET requests contain it in the path. */
export default class ObjectsController {
  async index(ctx: HttpContext) {
    const { id } = await getVault(ctx.actor, ctx.params.id)
    const { path = '', ...rest } = await objectListValidator.validate(ctx.request.qs())
    const listed = await callVaultService('list', { id, path, ...rest, limit: OBJECTS_PER_PAGE })
    ctx.response.json({ success: true, message: '', data: { objects: objectListing(listed) } })
  }

  async store(ctx: HttpContext) {
    const vault = await getUsableVault(ctx, 'vault_id')
    const { name, path = '' } = await createFolderValidator.validate(ctx.request.body())
    await createFolder(vault, joinObjectName(path, name), requesterOf(ctx))
    respond(ctx, { message: `Folder ${name} created.`, status: 201 })
  }

  async destroy(ctx: HttpContext) {
    const vault = await getUsableVault(ctx, 'vault_id')
    const { type, path } = await deleteObjectValidator.validate(ctx.request.body())
    const run =
      type === 'folder'
        ? deleteFolder(vault, path, requesterOf(ctx))
        : deleteFiles(vault, [path], requesterOf(ctx))
    const removed = await run
    respond(ctx, { message: `Deleted: ${path}`, data: { removed } })
  }

  async destroyMany(ctx: HttpContext) {
    const vault = await getUsableVault(ctx, 'vault_id')
    const { files = [], folders = [] } = await bulkDeleteValidator.validate(ctx.request.body())
    let removed = files.length ? await deleteFiles(vault, files, requesterOf(ctx)) : 0
    for (const folder of folders) removed += await deleteFolder(vault, folder, requesterOf(ctx))
    respond(ctx, { message: `${removed} deleted.`, data: { removed } })
  }

  async upload(ctx: HttpContext) {
    const vault = await getUsableVault(ctx, 'vault_id')
    const sent = await uploadValidator.validate(ctx.request.body())
    const { path = '', name, size, overwrite = false } = sent
    const link = await createUploadLink(vault, {
      name: joinObjectName(path, name),
      size,
      overwrite,
    })
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: '', data: { url: urlOfSignedPath(link) } })
  }

  /** Anyone who has the link can download the file until the link expires. */
  async share(ctx: HttpContext) {
    const vault = await getUsableVault(ctx, 'vault_id')
    const { name, expires } = await shareLinkValidator.validate(ctx.request.body())
    const { path } = await callVaultService('link', { id: vault.id, name, expiresIn: expires })
    await auditVault(vault, 'vault.share', requesterOf(ctx), { name, seconds: expires })
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: 'Link Copied!', data: { url: urlOfSignedPath(path) } })
  }

  async open(ctx: HttpContext) {
    const vault = await getVault(ctx.actor, ctx.params.id)
    assertVaultUsable(vault)
    const { name, download = false } = await objectNameValidator.validate(ctx.request.qs())
    const request = {
      id: vault.id,
      name,
      expiresIn: VIEW_LINK_SECONDS,
      ...(download && { download }),
    }
    const { path } = await callVaultService('link', request)
    ctx.response.header('cache-control', 'no-store')
    ctx.response.redirect().status(302).toPath(urlOfSignedPath(path))
  }
}
