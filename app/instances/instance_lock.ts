import { type HeldLock, withLock } from '#core/locks'

/**
 * Runs a function while it holds the lock of an instance across all processes. Waits for the lock
 * without limit.
 */
export function withInstanceLock<T>(
  instanceId: number,
  work: (lock: HeldLock) => Promise<T>
): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
