import type ServerInstance from '#instances/models/server_instance'

export interface RestoreInfo {
  /**
   * Whether Berth knows that the disk is an older one. It does not for a container without a mark: an older
   * release made that one, or its backup.
   */
  isCertain: boolean
  isRunning: boolean
}

type Hook = (instance: ServerInstance, restored: RestoreInfo) => Promise<void>

const hooks: Hook[] = []

/**
 * Registers work to be done for an instance whose disk may be older than its records: modules forget or repeat the
 * changes that they made inside it. Called again if it throws.
 */
export function onInstanceRestored(hook: Hook): void {
  hooks.push(hook)
}

export async function runRestoreHooks(
  instance: ServerInstance,
  restored: RestoreInfo
): Promise<void> {
  for (const hook of hooks) await hook(instance, restored)
}
