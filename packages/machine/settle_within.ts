import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until a promise settles, but at most `ms` milliseconds. Never rejects. */
export async function settleWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  const settled = new AbortController()
  const done = promise.then(
    () => {},
    () => {}
  )
  await Promise.race([done, sleep(ms, undefined, { signal: settled.signal }).catch(() => {})])
  settled.abort()
}
