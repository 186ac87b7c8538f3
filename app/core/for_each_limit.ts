import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` for all items, several at a time, even if it fails for some. If it did, rejects once every item has
 * finished or exceeded `timeoutMs`.
 * @param places maximum number of items at the same time
 * @param timeoutMs after this time, an unfinished item frees its place for another item, but still runs
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
