import { type HeldLock, withLock } from '#core/locks'

/**
 * Runs work under the instance's lock, which is exclusive across all processes. Waits for the lock
 * without a timeout.
 */
export function withInstanceLock<T>(
  instanceId: number,
  work: (lock: HeldLock) => Promise<T>
): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
