const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 1_000

/**
 * Tries until it no longer throws, for as long as `within` milliseconds; then throws what it threw
 * last. The deadline is generous because it is only ever reached when something is wrong. Pauses as long as
 * an attempt took, so that an expensive one does not take the processor from what it waits for.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, within = 60_000): Promise<T> {
  const deadline = Date.now() + within
  for (;;) {
    const began = Date.now()
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      const pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, Date.now() - began))
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
