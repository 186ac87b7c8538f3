import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` for each item, several at once. Resolves when all items are done.
 * @param places maximum number of items at once
 * @param timeoutMs milliseconds after which an unfinished item no longer occupies a place, so that a
 * hanging item does not delay others
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

/** Resolves when `done` settles or the time has passed. */
async function oneOf(done: Promise<void>, ms: number): Promise<void> {
  const enough = new AbortController()
  const over = done.then(
    () => {},
    () => {}
  )
  await Promise.race([over, sleep(ms, undefined, { signal: enough.signal }).catch(() => {})])
  enough.abort()
}
