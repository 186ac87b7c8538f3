import type ServerInstance from '#instances/models/server_instance'
import type { DateTime } from 'luxon'

export interface RestoreInfo {
  /**
   * Whether Berth knows that the disk is an older one. It does not for a container without a mark: an older
   * release made that one, or its backup.
   */
  isCertain: boolean
  isRunning: boolean
  /** The disk contains all deletions of projects before this time. `null`: unknown. */
  recordsAppliedAt: DateTime | null
}

interface RestoreHook {
  /** The part of an instance that it applies again, as one word: Berth shows it to people and stores it. */
  part: string
  run(instance: ServerInstance, restored: RestoreInfo): Promise<void>
}

const hooks: RestoreHook[] = []

/**
 * Registers work to be done for an instance whose disk may be older than its records: modules forget or repeat the
 * changes that they made inside it. A hook that throws runs again, and keeps no other hook from running.
 */
export function onInstanceRestored(part: string, run: RestoreHook['run']): void {
  hooks.push({ part, run })
}

export function listRestoreHooks(): readonly RestoreHook[] {
  return hooks
}
