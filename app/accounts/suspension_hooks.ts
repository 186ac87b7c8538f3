import type Account from '#accounts/models/account'

type Hook = (account: Pick<Account, 'id' | 'statusReason'>) => Promise<void>

const suspendedHooks: Hook[] = []
const resumedHooks: Hook[] = []

/**
 * The hook stops a module's resources. It runs after the new status is saved. The schedule `accounts.standing` runs
 * it again as long as the account is suspended.
 */
export function onAccountSuspended(hook: Hook): void {
  suspendedHooks.push(hook)
}

/**
 * The hook must revert only what the suspension hook has changed. The schedule `accounts.standing` runs it again for
 * a day.
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
