import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

type DomainsAddedHook = (
  instance: { id: number },
  names: string[],
  trx: TransactionClientContract
) => Promise<void>

const hooks: DomainsAddedHook[] = []

/**
 * Registers a hook that runs in the transaction that saves the domain list of an instance. It
 * receives the added names, which may be none.
 */
export function onDomainsAdded(hook: DomainsAddedHook): void {
  hooks.push(hook)
}

export function domainsAddedHooks(): readonly DomainsAddedHook[] {
  return hooks
}
