/**
 * Tries until it no longer throws, for as long as `within` milliseconds; then throws what it threw
 * last. The deadline is generous because it is only ever reached when something is wrong.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, within = 60_000): Promise<T> {
  const deadline = Date.now() + within
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
