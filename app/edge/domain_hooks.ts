import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

type DomainsAddedHook = (
  instance: { id: number },
  names: string[],
  trx: TransactionClientContract
) => Promise<void>

const hooks: DomainsAddedHook[] = []

/**
 * Registers a hook that runs in the transaction that adds names to the domain list of an instance.
 */
export function onDomainsAdded(hook: DomainsAddedHook): void {
  hooks.push(hook)
}

export function domainsAddedHooks(): readonly DomainsAddedHook[] {
  return hooks
}
