/**
 * Waits before the next attempt. If the browser comes online earlier, stops waiting.
 * @param tick called immediately and each second with the remaining seconds
 */
export function waitForConnection(
  seconds: number,
  tick: (left: number) => void
): { over: Promise<void>; now: () => void } {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let left = seconds
  tick(left)
  const timer = setInterval(() => {
    left -= 1
    if (left > 0) tick(left)
    else now()
  }, 1_000)
  const now = () => {
    clearInterval(timer)
    window.removeEventListener('online', now)
    resolve()
  }
  window.addEventListener('online', now)
  return { over, now }
}
