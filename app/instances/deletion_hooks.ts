import type ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

type Hook = (instance: ServerInstance) => Promise<void>
type LastHook = (instance: ServerInstance, trx: TransactionClientContract) => Promise<void>

const deletedHooks: Hook[] = []
const goneHooks: LastHook[] = []

/**
 * Registers a hook that frees another module's resources of an instance. It runs during the deletion,
 * possibly several times. An error stops the deletion, which can be retried.
 */
export function beforeInstanceDeletion(hook: Hook): void {
  deletedHooks.push(hook)
}

export async function runBeforeDeletionHooks(instance: ServerInstance): Promise<void> {
  for (const hook of deletedHooks) await hook(instance)
}

/**
 * Registers a hook that runs in the transaction in which an instance is marked as deleted. The hook removes rows that
 * were created after the `beforeInstanceDeletion` hooks ran.
 */
export function onInstanceDeletionCommit(hook: LastHook): void {
  goneHooks.push(hook)
}

export async function runDeletionCommitHooks(
  instance: ServerInstance,
  trx: TransactionClientContract
): Promise<void> {
  for (const hook of goneHooks) await hook(instance, trx)
}
