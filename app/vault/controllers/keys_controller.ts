import { respond } from '#core/action_response'
import { auditVault } from '#vault/actions/change_vault'
import { createKey, removeKey, rotateKey, rotateVaultSecret } from '#vault/actions/keys'
import { findVault } from '#vault/queries/vaults'
import { callVaultService } from '#vault/service'
import { keyRow } from '#vault/transformers/vault'
import { keyForm, keyIdForm, keyRotationForm, rotationForm } from '#vault/validators/vault'
import { by, usableVault } from '#vault/controllers/vault_requests'
import type { HttpContext } from '@adonisjs/core/http'

/** The secret key of a vault, and its access keys. A secret that was made is answered this once. */
export default class KeysController {
  async index(ctx: HttpContext) {
    const { id } = await findVault(ctx.actor!, ctx.params.id)
    const keys = (await callVaultService('keys', { id })).map(keyRow)
    ctx.response.json({ success: true, message: '', data: { keys } })
  }

  /** `{ id }`: the vault's own secret, for who copies it. */
  async secret(ctx: HttpContext) {
    const vault = await usableVault(ctx)
    await auditVault(vault, 'vault.secret', by(ctx))
    tell(ctx, 'Secret Key Copied!', { secret_key: vault.secretKey })
  }

  /** `{ id, overlap }` */
  async rotateSecret(ctx: HttpContext) {
    const vault = await usableVault(ctx)
    const { overlap } = await rotationForm.validate(ctx.request.body())
    const secret = await rotateVaultSecret(vault, overlap, by(ctx))
    tell(ctx, `Secret key changed. ${ends(overlap)}`, { secret_key: secret })
  }

  /** `{ id, name, read_only }` */
  async store(ctx: HttpContext) {
    const vault = await usableVault(ctx)
    const { name, read_only: readOnly } = await keyForm.validate(ctx.request.body())
    const made = await createKey(vault, { name, readOnly }, by(ctx))
    const key = { access_key_id: made.accessKeyId, secret_key: made.secret }
    tell(ctx, `Access key ${name} created.`, key, 201)
  }

  /** `{ id, key_id, overlap }` */
  async rotate(ctx: HttpContext) {
    const vault = await usableVault(ctx)
    const { key_id: keyId, overlap } = await keyRotationForm.validate(ctx.request.body())
    const made = await rotateKey(vault, keyId, overlap, by(ctx))
    const key = { access_key_id: made.accessKeyId, secret_key: made.secret }
    tell(ctx, `Secret of the access key changed. ${ends(overlap)}`, key)
  }

  /** `{ id, key_id }` */
  async destroy(ctx: HttpContext) {
    const vault = await usableVault(ctx)
    const { key_id: keyId } = await keyIdForm.validate(ctx.request.body())
    await removeKey(vault, keyId, by(ctx))
    respond(ctx, { message: 'Access key removed.' })
  }
}

function ends(overlap: number): string {
  if (overlap === 0) return 'The old secret no longer works.'
  return `The old secret expires in ${overlap === 3_600 ? 'an hour' : 'a day'}.`
}

function tell(ctx: HttpContext, message: string, data: Record<string, unknown>, status = 200) {
  ctx.response.header('cache-control', 'no-store')
  respond(ctx, { message, data, status })
}
