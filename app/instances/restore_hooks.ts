import type ServerInstance from '#instances/models/server_instance'
import type { DateTime } from 'luxon'

export interface RestoreInfo {
  /**
   * Whether it is certain that the disk was restored. False: the container has no mark, because it comes from an older
   * release or from a backup of one.
   */
  isCertain: boolean
  isRunning: boolean
  /** The disk contains all project deletions before this time. `null`: unknown. */
  recordsAppliedAt: DateTime | null
}

interface RestoreHook {
  /** Name of this part of a restore, one word. It is stored, and shown to staff. */
  part: string
  run(instance: ServerInstance, restored: RestoreInfo): Promise<void>
}

const hooks: RestoreHook[] = []

/**
 * Registers a hook that runs after an instance's disk was restored. The disk may then be older than the database rows.
 * The hook makes its module's changes inside the instance again, or removes their record. After an error it runs
 * again, and other hooks still run.
 */
export function onInstanceRestored(part: string, run: RestoreHook['run']): void {
  hooks.push({ part, run })
}

export function listRestoreHooks(): readonly RestoreHook[] {
  return hooks
}
