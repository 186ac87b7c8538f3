import type { By } from '#vault/actions/change_vault'
import type Vault from '#vault/models/vault'
import { findVault } from '#vault/queries/vaults'
import { assertUsable } from '#vault/states/vault'
import type { HttpContext } from '@adonisjs/core/http'

/** The vault that a call names, where something can be done with it. Throws 404 and 409. */
export async function usableVault(
  ctx: HttpContext,
  field: 'id' | 'vault_id' = 'id'
): Promise<Vault> {
  const vault = await findVault(ctx.actor!, ctx.request.input(field))
  assertUsable(vault)
  return vault
}

/** Who asks, for the log. */
export function by({ actor, request }: HttpContext): By {
  return { actor: actor!, ip: request.ip() }
}
