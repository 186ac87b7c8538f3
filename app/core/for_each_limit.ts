import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when all items are done.
 * @param places items at once
 * @param timeoutMs an unfinished item then no longer occupies a place, so that it does not delay
 * others
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

async function oneOf(done: Promise<void>, ms: number): Promise<void> {
  const enough = new AbortController()
  const over = done.then(
    () => {},
    () => {}
  )
  await Promise.race([over, sleep(ms, undefined, { signal: enough.signal }).catch(() => {})])
  enough.abort()
}
