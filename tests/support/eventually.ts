const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 1_000

/**
 * Calls `attempt` until it does not throw. Pauses after each call for as long as the call took (0.1 to 1 s), so that
 * expensive calls leave CPU time for the work that the test waits for. The timeout is long, because only failing tests
 * reach it.
 * @throws the error of the last attempt
 */
export async function eventually<T>(attempt: () => T | Promise<T>, within = 120_000): Promise<T> {
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
