import { type HeldLock, withLock } from '#core/locks'

/** Across all processes. Waits without limit. */
export function withInstanceLock<T>(
  instanceId: number,
  work: (lock: HeldLock) => Promise<T>
): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
