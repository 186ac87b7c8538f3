import type Account from '#accounts/models/account'

type Hook = (account: Pick<Account, 'id' | 'statusReason'>) => Promise<void>

const suspendedHooks: Hook[] = []
const resumedHooks: Hook[] = []

/**
 * Each domain stops what it serves for an account that is suspended (product, "Accounts"). Called after
 * the account's row says so, perhaps more than once: by whoever suspends it, and by the schedule
 * `accounts.standing` as long as it is suspended.
 */
export function onAccountSuspended(hook: Hook): void {
  suspendedHooks.push(hook)
}

/** Undoes just that, as often as it is called. */
export function onAccountResumed(hook: Hook): void {
  resumedHooks.push(hook)
}

export async function runSuspensionHooks(account: Parameters<Hook>[0]): Promise<void> {
  for (const hook of suspendedHooks) await hook(account)
}

export async function runResumeHooks(account: Parameters<Hook>[0]): Promise<void> {
  for (const hook of resumedHooks) await hook(account)
}
