import { loadCustomersById } from '#accounts/public'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { resumeVault, suspendVault } from '#vault/actions/suspend_vault'
import { moveVaultToStore } from '#vault/actions/move_vault_to_store'
import { callVaultService } from '#vault/call_vault_service'
import type Vault from '#vault/models/vault'
import { adminVaultListDefinition } from '#vault/queries/vault_list'
import { getVault, vaultsVisibleTo } from '#vault/queries/vaults'
import { vaultStatuses } from '#vault/statuses'
import { adminVaultRow } from '#vault/transformers/vault'
import { moveVaultValidator, suspensionValidator } from '#vault/validators/vault'
import type { HttpContext } from '@adonisjs/core/http'

export default class AdminVaultsController {
  async index(ctx: HttpContext) {
    const list = parseListRequest(ctx, adminVaultListDefinition)
    const page = await queryListPage<Vault>(
      vaultsVisibleTo(ctx.actor),
      list,
      adminVaultListDefinition
    )
    const { rows, ...facts } = page
    const customers = await loadCustomersById(rows.map(({ accountId }) => accountId))
    return renderPage(ctx, 'admin/vault/list', {
      ...facts,
      vaults: rows.map((row) => adminVaultRow(row, customers.get(row.accountId))),
      vaultStatus: vaultStatuses,
    })
  }

  async suspend(ctx: HttpContext) {
    const vault = await getVault(ctx.actor, ctx.request.input('id'))
    const { reason } = await suspensionValidator.validate(ctx.request.body())
    await suspendVault(vault, reason, requesterOf(ctx))
    respond(ctx, { message: `${vault.name} is suspended.` })
  }

  async stores(ctx: HttpContext) {
    respond(ctx, { message: 'Stores', data: await callVaultService('stores', {}) })
  }

  async move(ctx: HttpContext) {
    const vault = await getVault(ctx.actor, ctx.request.input('id'))
    const { store } = await moveVaultValidator.validate(ctx.request.body())
    await moveVaultToStore(vault, store, requesterOf(ctx))
    respond(ctx, { message: `Moving vault ${vault.name}. The vault stays available.` })
  }

  async resume(ctx: HttpContext) {
    const vault = await getVault(ctx.actor, ctx.request.input('id'))
    await resumeVault(vault, requesterOf(ctx))
    respond(ctx, { message: `${vault.name} is active again.` })
  }
}
