import type ServerInstance from '#instances/models/server_instance'
import type { DateTime } from 'luxon'

export interface RestoreInfo {
  /** False: the container has no mark, because an older release or its backup created it. */
  isCertain: boolean
  isRunning: boolean
  /** The disk contains all project deletions before this time. `null`: unknown. */
  recordsAppliedAt: DateTime | null
}

interface RestoreHook {
  /** One word, stored and shown to people. */
  part: string
  run(instance: ServerInstance, restored: RestoreInfo): Promise<void>
}

const hooks: RestoreHook[] = []

/**
 * Registers a hook for a restored disk, which may be older than the rows. The hook repeats or forgets a
 * module's changes inside the instance. After an error it runs again, and other hooks still run.
 */
export function onInstanceRestored(part: string, run: RestoreHook['run']): void {
  hooks.push({ part, run })
}

export function listRestoreHooks(): readonly RestoreHook[] {
  return hooks
}
