import type { Requester } from '#vault/actions/change_vault'
import type Vault from '#vault/models/vault'
import { getVault } from '#vault/queries/vaults'
import { assertVaultUsable } from '#vault/states/vault'
import type { HttpContext } from '@adonisjs/core/http'

/** The vault that a call names, where something can be done with it. Throws 404 and 409. */
export async function getUsableVault(
  ctx: HttpContext,
  field: 'id' | 'vault_id' = 'id'
): Promise<Vault> {
  const vault = await getVault(ctx.actor!, ctx.request.input(field))
  assertVaultUsable(vault)
  return vault
}

/** Who asks, for the log. */
export function requesterOf({ actor, request }: HttpContext): Requester {
  return { actor: actor!, ip: request.ip() }
}
