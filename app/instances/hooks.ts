import type ServerInstance from '#instances/models/server_instance'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

type Hook = (instance: ServerInstance) => Promise<void>
type LastHook = (instance: ServerInstance, trx: TransactionClientContract) => Promise<void>

const deleted: Hook[] = []
const gone: LastHook[] = []

/**
 * Domains above free what they keep for an instance. Called while it is being deleted, perhaps more
 * than once; an error stops the deletion, which can be tried again.
 */
export function onInstanceDeleted(hook: Hook): void {
  deleted.push(hook)
}

export async function tellDeleted(instance: ServerInstance): Promise<void> {
  for (const hook of deleted) await hook(instance)
}

/** Called in the transaction in which it becomes deleted: what came meanwhile goes with it. */
export function onInstanceGone(hook: LastHook): void {
  gone.push(hook)
}

export async function tellGone(
  instance: ServerInstance,
  trx: TransactionClientContract
): Promise<void> {
  for (const hook of gone) await hook(instance, trx)
}
