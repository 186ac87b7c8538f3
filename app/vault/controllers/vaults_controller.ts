import { respond } from '#core/action_response'
import { isPageVisit } from '#core/request_kind'
import { accountIdOf, requesterOf } from '#core/contracts/actor'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { AppError } from '#core/app_error'
import { countBackupDestinationUse } from '#databases/public'
import { cdnUrl, s3Endpoint, vaultApiUrl } from '#vault/vault_urls'
import { deleteVault } from '#vault/actions/delete_vault'
import { createVault } from '#vault/actions/create_vault'
import { TOO_MANY_VAULTS_MESSAGE } from '#vault/errors'
import { MAX_VAULTS, OBJECTS_PER_PAGE, MAX_UPLOAD_BYTES } from '#vault/limits'
import type Vault from '#vault/models/vault'
import { vaultListDefinition } from '#vault/queries/vault_list'
import { countVaultsOfAccount, getVault, vaultsVisibleTo } from '#vault/queries/vaults'
import { callVaultService } from '#vault/call_vault_service'
import { vaultProblem } from '#vault/states/vault'
import { vaultStatuses } from '#vault/statuses'
import type { ObjectListing, VaultDetails } from '#vault/transformers/page_props'
import { objectListing, vaultDetails, vaultRow } from '#vault/transformers/vault'
import { objectListValidator, createVaultValidator } from '#vault/validators/vault'
import type { HttpContext } from '@adonisjs/core/http'

const VAULTS_PAGE = '/vault/list'

export default class VaultsController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor
    const accountId = accountIdOf(actor)
    const list = parseListRequest(ctx, vaultListDefinition)
    const { rows, ...facts } = await queryListPage<Vault>(
      vaultsVisibleTo(actor),
      list,
      vaultListDefinition
    )
    return renderPage(ctx, 'customer/vault/list', {
      ...facts,
      vaults: rows.map(vaultRow),
      vaultStatus: vaultStatuses,
      accessKeyId: accountId,
      vaultHost: vaultApiUrl,
      full: (await countVaultsOfAccount(accountId)) >= MAX_VAULTS ? TOO_MANY_VAULTS_MESSAGE : null,
    })
  }

  async show(ctx: HttpContext) {
    const vault = await getVault(ctx.actor, ctx.params.id)
    const { path = '', search = '' } = await objectListValidator.validate(ctx.request.qs())
    return renderPage(ctx, 'customer/vault/details', {
      vault: vaultRow(vault),
      path,
      search,
      ...(await seen(vault, path, search)),
      barred: vaultProblem(vault),
      databaseCopies: await countBackupDestinationUse(vault.id),
      cdnHost: cdnUrl,
      vaultHost: vaultApiUrl,
      accessKeyId: vault.accountId,
      s3Endpoint,
      uploadLimit: MAX_UPLOAD_BYTES,
    })
  }

  async store(ctx: HttpContext) {
    const { name } = await createVaultValidator.validate(ctx.request.body())
    const vault = await createVault(ctx.actor, name, ctx.request.ip())
    ctx.response.header('cache-control', 'no-store')
    respond(ctx, {
      message: `Vault ${vault.name} created.`,
      status: 201,
      data: {
        id: vault.id,
        name: vault.name,
        key: vault.key,
        access_key_id: vault.accountId,
        secret_key: vault.secretKey,
      },
      to: isPageVisit(ctx) ? VAULTS_PAGE : undefined,
    })
  }

  async destroy(ctx: HttpContext) {
    const { id, name } = ctx.request.body()
    const vault = await getVault(ctx.actor, id)
    const { copies } = await countBackupDestinationUse(vault.id)
    await deleteVault(vault, name, requesterOf(ctx))
    const also = copies ? `, with ${copies} database ${copies === 1 ? 'backup' : 'backups'}` : ''
    respond(ctx, {
      message: `Vault ${vault.name} is deleted${also}.`,
      to: isPageVisit(ctx) ? VAULTS_PAGE : undefined,
    })
  }
}

/**
 * Loads the vault's content from the service. If the service fails, returns `problem` instead, so that the page still
 * loads.
 */
async function seen(
  { id }: Vault,
  path: string,
  search: string
): Promise<{ objects: ObjectListing; facts: VaultDetails | null; problem: string | null }> {
  try {
    const query = { id, path, limit: OBJECTS_PER_PAGE, ...(search && { search }) }
    const [[info], listed] = await Promise.all([
      callVaultService('vaults', { ids: [id] }),
      callVaultService('list', query),
    ])
    return {
      objects: objectListing(listed),
      facts: info ? vaultDetails(info) : null,
      problem: null,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const none = { folders: [], files: [], next: null }
    return { objects: none, facts: null, problem: error.message }
  }
}
