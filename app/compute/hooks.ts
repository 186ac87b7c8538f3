import type ServerInstance from '#compute/models/server_instance'

type Hook = (instance: ServerInstance) => Promise<void>

const deleted: Hook[] = []
const domainsChanged: Hook[] = []

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

/** Called after the domain list of an instance was saved; its rows tell what to serve. */
export function onDomainsChanged(hook: Hook): void {
  domainsChanged.push(hook)
}

export async function tellDomainsChanged(instance: ServerInstance): Promise<void> {
  for (const hook of domainsChanged) await hook(instance)
}
