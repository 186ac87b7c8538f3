import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does the same with each of many things, some of them at once, and resolves when all of it is done.
 * @param places how many at once
 * @param patience milliseconds after which one that is not done yet no longer takes a place: whoever
 * does not answer keeps nobody waiting
 */
export async function forEachLimit<Item>(
  items: readonly Item[],
  { places, timeoutMs }: { places: number; timeoutMs: number },
  work: (item: Item) => Promise<void>
): Promise<void> {
  const waiting = items.values()
  const all: Promise<void>[] = []
  const takeNext = async () => {
    for (const item of waiting) {
      const done = work(item)
      all.push(done)
      await oneOf(done, timeoutMs)
    }
  }
  await Promise.all(Array.from({ length: places }, takeNext))
  await Promise.all(all)
}

/** When it is over, however it ends, or the time is. */
async function oneOf(done: Promise<void>, ms: number): Promise<void> {
  const enough = new AbortController()
  const over = done.then(
    () => {},
    () => {}
  )
  await Promise.race([over, sleep(ms, undefined, { signal: enough.signal }).catch(() => {})])
  enough.abort()
}
