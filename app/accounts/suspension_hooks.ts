import type Account from '#accounts/models/account'

type Hook = (account: Pick<Account, 'id' | 'statusReason'>) => Promise<void>

const suspendedHooks: Hook[] = []
const resumedHooks: Hook[] = []

/**
 * Registers a hook that stops a module's resources of a suspended account (docs/product.md, "Accounts"). It
 * runs after the account's status is saved, possibly several times: by the suspension, and by the schedule
 * `accounts.standing` while the account is suspended.
 */
export function onAccountSuspended(hook: Hook): void {
  suspendedHooks.push(hook)
}

/** Registers a hook that undoes only what the suspension hook did. It may also run several times. */
export function onAccountResumed(hook: Hook): void {
  resumedHooks.push(hook)
}

export async function runSuspensionHooks(account: Parameters<Hook>[0]): Promise<void> {
  for (const hook of suspendedHooks) await hook(account)
}

export async function runResumeHooks(account: Parameters<Hook>[0]): Promise<void> {
  for (const hook of resumedHooks) await hook(account)
}
