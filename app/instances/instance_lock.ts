import { withLock } from '#core/locks'

/** Does something to an instance while nobody else does, in any process. */
export function withInstanceLock<T>(instanceId: number, work: () => Promise<T>): Promise<T> {
  return withLock(`instance:${instanceId}`, work)
}
