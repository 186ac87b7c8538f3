import type Account from '#accounts/models/account'

type Hook = (account: Pick<Account, 'id' | 'statusReason'>) => Promise<void>

const suspendedHooks: Hook[] = []
const resumedHooks: Hook[] = []

/**
 * Registers a hook that stops a module's resources of a suspended account. It runs after the new status is
 * saved. The schedule `accounts.standing` repeats it while the account is suspended.
 */
export function onAccountSuspended(hook: Hook): void {
  suspendedHooks.push(hook)
}

/**
 * Registers a hook that reverts what the suspension hook changed, and nothing else. It may run
 * several times.
 */
export function onAccountResumed(hook: Hook): void {
  resumedHooks.push(hook)
}

export async function runSuspensionHooks(account: Parameters<Hook>[0]): Promise<void> {
  for (const hook of suspendedHooks) await hook(account)
}

export async function runResumeHooks(account: Parameters<Hook>[0]): Promise<void> {
  for (const hook of resumedHooks) await hook(account)
}
