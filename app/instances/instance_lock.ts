import { type HeldLock, withLock } from '#core/locks'

/** The lock is exclusive across all processes. Waits for it without a timeout. */
export function withInstanceLock<T>(
  instanceId: number,
  work: (lock: HeldLock) => Promise<T>
): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
