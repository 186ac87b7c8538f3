import type Vault from '#vault/models/vault'
import { getVault } from '#vault/queries/vaults'
import { assertVaultUsable } from '#vault/states/vault'
import type { HttpContext } from '@adonisjs/core/http'

/** @throws 404 if the vault does not exist, 409 if it is suspended */
export async function getUsableVault(
  ctx: HttpContext,
  field: 'id' | 'vault_id' = 'id'
): Promise<Vault> {
  const vault = await getVault(ctx.actor, ctx.request.input(field))
  assertVaultUsable(vault)
  return vault
}
