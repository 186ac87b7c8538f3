import { withLock } from '#core/locks'

/** Does something to an instance while nobody else does, in any process; waits as long as others need. */
export function withInstanceLock<T>(instanceId: number, work: () => Promise<T>): Promise<T> {
  return withLock(`instance:${instanceId}`, work, { timeoutMs: Infinity })
}
