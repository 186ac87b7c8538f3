import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { auditVault } from '#vault/actions/change_vault'
import {
  createAccessKey,
  removeAccessKey,
  rotateAccessKey,
  rotateVaultSecret,
} from '#vault/actions/access_keys'
import { getVault } from '#vault/queries/vaults'
import { callVaultService } from '#vault/call_vault_service'
import { accessKeyRow } from '#vault/transformers/vault'
import {
  accessKeyValidator,
  accessKeyIdValidator,
  accessKeyRotationValidator,
  secretRotationValidator,
} from '#vault/validators/vault'
import { getUsableVault } from '#vault/controllers/controller_helpers'
import type { HttpContext } from '@adonisjs/core/http'

export default class AccessKeysController {
  async index(ctx: HttpContext) {
    const { id } = await getVault(ctx.actor, ctx.params.id)
    const keys = (await callVaultService('keys', { id })).map(accessKeyRow)
    ctx.response.json({ success: true, message: '', data: { keys } })
  }

  async secret(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    await auditVault(vault, 'vault.secret', requesterOf(ctx))
    respondOnce(ctx, 'Secret Key Copied!', { secret_key: vault.secretKey })
  }

  async rotateSecret(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    const { overlap } = await secretRotationValidator.validate(ctx.request.body())
    const secret = await rotateVaultSecret(vault, overlap, requesterOf(ctx))
    respondOnce(ctx, `Secret key changed. ${ends(overlap)}`, { secret_key: secret })
  }

  async store(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    const { name, read_only: readOnly } = await accessKeyValidator.validate(ctx.request.body())
    const newKey = await createAccessKey(vault, { name, readOnly }, requesterOf(ctx))
    const key = { access_key_id: newKey.accessKeyId, secret_key: newKey.secret }
    respondOnce(ctx, `Access key ${name} created.`, key, 201)
  }

  async rotate(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    const { key_id: keyId, overlap } = await accessKeyRotationValidator.validate(ctx.request.body())
    const newKey = await rotateAccessKey(vault, keyId, overlap, requesterOf(ctx))
    const key = { access_key_id: newKey.accessKeyId, secret_key: newKey.secret }
    respondOnce(ctx, `Secret of the access key changed. ${ends(overlap)}`, key)
  }

  async destroy(ctx: HttpContext) {
    const vault = await getUsableVault(ctx)
    const { key_id: keyId } = await accessKeyIdValidator.validate(ctx.request.body())
    await removeAccessKey(vault, keyId, requesterOf(ctx))
    respond(ctx, { message: 'Access key removed.' })
  }
}

function ends(overlap: number): string {
  if (overlap === 0) return 'The old secret no longer works.'
  return `The old secret expires in ${overlap === 3_600 ? 'an hour' : 'a day'}.`
}

function respondOnce(
  ctx: HttpContext,
  message: string,
  data: Record<string, unknown>,
  status = 200
) {
  ctx.response.header('cache-control', 'no-store')
  respond(ctx, { message, data, status })
}
