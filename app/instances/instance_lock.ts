import { withLock } from '#core/locks'

/**
 * Runs a function while it holds the lock of an instance across all processes. Waits for the lock
 * without limit.
 */
export function withInstanceLock<T>(instanceId: number, work: () => Promise<T>): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
