import { respond } from '#core/action_response'
import {
  deleteFiles,
  deleteFolder,
  joinObjectName,
  createFolder,
  uploadLink,
} from '#vault/actions/objects'
import { auditVault } from '#vault/actions/change_vault'
import { signedUrl } from '#vault/addresses'
import { OBJECTS_PER_PAGE } from '#vault/limits'
import { findVault } from '#vault/queries/vaults'
import { callVaultService } from '#vault/service'
import { assertUsable } from '#vault/states/vault'
import { objectsOf } from '#vault/transformers/vault'
import {
  deleteForm,
  deleteManyForm,
  folderForm,
  listQuery,
  nameQuery,
  shareForm,
  uploadForm,
} from '#vault/validators/vault'
import { by, usableVault } from '#vault/controllers/vault_requests'
import type { HttpContext } from '@adonisjs/core/http'

/** Seconds that a link of a page is good for; one of a video is asked again and again. */
const VIEW_LINK_SECONDS = 3_600

/** Folders and files of a vault. Calls name it by `vault_id`, pages by their address. */
export default class ObjectsController {
  /** What comes after a page of a listing: `?path&search&after`. */
  async index(ctx: HttpContext) {
    const { id } = await findVault(ctx.actor!, ctx.params.id)
    const { path = '', ...rest } = await listQuery.validate(ctx.request.qs())
    const listed = await callVaultService('list', { id, path, ...rest, limit: OBJECTS_PER_PAGE })
    ctx.response.json({ success: true, message: '', data: { objects: objectsOf(listed) } })
  }

  /** `{ vault_id, type: 'folder', name, path }` */
  async store(ctx: HttpContext) {
    const vault = await usableVault(ctx, 'vault_id')
    const { name, path = '' } = await folderForm.validate(ctx.request.body())
    await createFolder(vault, joinObjectName(path, name), by(ctx))
    respond(ctx, { message: `Folder ${name} created.`, status: 201 })
  }

  /** `{ vault_id, path, type }` */
  async destroy(ctx: HttpContext) {
    const vault = await usableVault(ctx, 'vault_id')
    const { type, path } = await deleteForm.validate(ctx.request.body())
    const run =
      type === 'folder' ? deleteFolder(vault, path, by(ctx)) : deleteFiles(vault, [path], by(ctx))
    const removed = await run
    respond(ctx, { message: `Deleted: ${path}`, data: { removed } })
  }

  /** `{ vault_id, files, folders }`: several at once, by their whole names. */
  async destroyMany(ctx: HttpContext) {
    const vault = await usableVault(ctx, 'vault_id')
    const { files = [], folders = [] } = await deleteManyForm.validate(ctx.request.body())
    let removed = files.length ? await deleteFiles(vault, files, by(ctx)) : 0
    for (const folder of folders) removed += await deleteFolder(vault, folder, by(ctx))
    respond(ctx, { message: `${removed} deleted.`, data: { removed } })
  }

  /** `{ vault_id, path, name, size, overwrite? }`: where the browser puts a file. */
  async upload(ctx: HttpContext) {
    const vault = await usableVault(ctx, 'vault_id')
    const sent = await uploadForm.validate(ctx.request.body())
    const { path = '', name, size, overwrite = false } = sent
    const link = await uploadLink(vault, { name: joinObjectName(path, name), size, overwrite })
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: '', data: { url: signedUrl(link) } })
  }

  /** `{ vault_id, name, expires }`: a link for whoever has it. */
  async share(ctx: HttpContext) {
    const vault = await usableVault(ctx, 'vault_id')
    const { name, expires } = await shareForm.validate(ctx.request.body())
    const { path } = await callVaultService('link', { id: vault.id, name, expiresIn: expires })
    await auditVault(vault, 'vault.share', by(ctx), { name, seconds: expires })
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, { message: 'Link Copied!', data: { url: signedUrl(path) } })
  }

  /** To the file itself, by a link of its own: `?name&download`. */
  async open(ctx: HttpContext) {
    const vault = await findVault(ctx.actor!, ctx.params.id)
    assertUsable(vault)
    const { name, download = false } = await nameQuery.validate(ctx.request.qs())
    const asked = {
      id: vault.id,
      name,
      expiresIn: VIEW_LINK_SECONDS,
      ...(download && { download }),
    }
    const { path } = await callVaultService('link', asked)
    ctx.response.header('cache-control', 'no-store')
    ctx.response.redirect().status(302).toPath(signedUrl(path))
  }
}
