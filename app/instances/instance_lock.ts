import { type HeldLock, withLock } from '#core/locks'

/** Runs work under the instance's lock, across all processes. Waits for it without limit. */
export function withInstanceLock<T>(
  instanceId: number,
  work: (lock: HeldLock) => Promise<T>
): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
