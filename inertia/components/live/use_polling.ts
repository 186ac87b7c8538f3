import { useEffect, useEffectEvent } from 'react'

/** Calls `onTick` at regular intervals while the page is visible, and once when it becomes visible again. */
export function usePolling(intervalMs: number, onTick: () => void) {
  const tick = useEffectEvent(() => {
    if (document.visibilityState !== 'hidden') onTick()
  })
  useEffect(() => {
    const run = () => tick()
    const timer = window.setInterval(run, intervalMs)
    document.addEventListener('visibilitychange', run)
    return () => {
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', run)
    }
  }, [intervalMs])
}
