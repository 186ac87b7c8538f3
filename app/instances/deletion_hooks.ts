import type ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

type Hook = (instance: ServerInstance) => Promise<void>
type LastHook = (instance: ServerInstance, trx: TransactionClientContract) => Promise<void>

const deletedHooks: Hook[] = []
const goneHooks: LastHook[] = []

/**
 * Domains above free what they keep for an instance. Called while it is being deleted, perhaps more
 * than once; an error stops the deletion, which can be tried again.
 */
export function beforeInstanceDeletion(hook: Hook): void {
  deletedHooks.push(hook)
}

export async function runBeforeDeletionHooks(instance: ServerInstance): Promise<void> {
  for (const hook of deletedHooks) await hook(instance)
}

/** Called in the transaction in which it becomes deleted: what came meanwhile goes with it. */
export function onInstanceDeletionCommit(hook: LastHook): void {
  goneHooks.push(hook)
}

export async function runDeletionCommitHooks(
  instance: ServerInstance,
  trx: TransactionClientContract
): Promise<void> {
  for (const hook of goneHooks) await hook(instance, trx)
}
