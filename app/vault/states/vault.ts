import type { AccountStatus } from '#core/contracts/actor'
import { conflict } from '#core/app_error'
import type { VaultStatus } from '#vault/statuses'
import type { VaultState } from '#packages/vault-service/types'

interface VaultStateInput {
  status: VaultStatus
  statusReason: string | null
}

/**
 * A vault and its account can be suspended separately. Ending one suspension does not end the other (docs/product.md,
 * "Accounts").
 */
export function desiredVaultState(
  { status }: Pick<VaultStateInput, 'status'>,
  account: AccountStatus
): VaultState {
  if (status !== 'active') return status
  return account === 'active' ? 'active' : 'read_only'
}

/** Returns why nobody can open or change the vault; null if it can be used. */
export function vaultProblem({ status, statusReason }: VaultStateInput): string | null {
  if (status === 'deleted') return 'This vault is deleted, which cannot be undone.'
  if (status !== 'suspended') return null
  return `This vault is suspended. ${statusReason ? `Reason: ${statusReason}` : 'Ask support for the reason.'}`
}

/** @throws 409 with the reason if nobody can open or change the vault */
export function assertVaultUsable(vault: VaultStateInput): void {
  const reason = vaultProblem(vault)
  if (reason) throw conflict(reason)
}
