import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { changeVaultSettings, revokeSharedLinks, auditVault } from '#vault/actions/change_vault'
import { getVault } from '#vault/queries/vaults'
import { callVaultService } from '#vault/call_vault_service'
import { CHART_DAYS, usageHistory } from '#vault/transformers/vault'
import type { DamagedObjectRow, UnfinishedUploadRow } from '#vault/transformers/page_props'
import { vaultSettingsValidator, uploadIdValidator } from '#vault/validators/vault'
import { getUsableVault } from '#vault/controllers/controller_helpers'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

export default class VaultSettingsAndUsageController {
  async update(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    const sent = await vaultSettingsValidator.validate(ctx.request.body())
    const { is_private: isPrivate, cors, monthly_limit: monthlyLimit } = sent
    const settings = {
      ...(isPrivate !== undefined && { isPrivate }),
      ...(monthlyLimit !== undefined && { monthlyLimit }),
      ...(cors && { cors: cors.map(({ max_age: maxAge, ...rule }) => ({ ...rule, maxAge })) }),
    }
    await changeVaultSettings(vault, settings, requesterOf(ctx))
    respond(ctx, { message: 'Vault settings saved.' })
  }

  async endLinks(ctx: HttpContext) {
    await revokeSharedLinks(await getUsableVault(ctx), requesterOf(ctx))
    respond(ctx, { message: 'All shared links revoked.' })
  }

  async usage(ctx: HttpContext) {
    const { id } = await getVault(ctx.actor, ctx.params.id)
    const today = DateTime.utc()
    const from = today.minus({ days: CHART_DAYS - 1 }).toISODate()
    const days = await callVaultService('usage', { id, from, to: today.toISODate() })
    const usage = usageHistory(days, today)
    ctx.response.json({ success: true, message: '', data: { usage } })
  }

  async upkeep(ctx: HttpContext) {
    const { id } = await getVault(ctx.actor, ctx.params.id)
    const [begun, findings] = await Promise.all([
      callVaultService('uploads', { id }),
      callVaultService('findings', { id }),
    ])
    const uploads = begun.map(({ startedAt, ...rest }): UnfinishedUploadRow => ({
      ...rest,
      started_at: startedAt,
    }))
    const damaged = findings.map(({ foundAt, ...rest }): DamagedObjectRow => ({
      ...rest,
      found_at: foundAt,
    }))
    ctx.response.json({ success: true, message: '', data: { uploads, damaged } })
  }

  async abortUpload(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    const { upload_id: uploadId } = await uploadIdValidator.validate(ctx.request.body())
    await callVaultService('abortUpload', { id: vault.id, uploadId })
    await auditVault(vault, 'vault.upload_abort', requesterOf(ctx), { upload: uploadId })
    respond(ctx, { message: 'Unfinished upload deleted.' })
  }
}
