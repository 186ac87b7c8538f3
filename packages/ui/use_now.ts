import { useEffect, useState } from 'react'

/**
 * Returns the current time in milliseconds. While `on` is true, updates it every `every` milliseconds. Returns 0 before
 * the first update, for example while the server renders the page.
 */
export function useNow(every = 1000, on = true) {
  const [now, setNow] = useState(0)

  useEffect(() => {
    if (!on) return
    const tick = () => setNow(Date.now())
    const first = window.setTimeout(tick, 0)
    const timer = window.setInterval(tick, every)
    return () => {
      window.clearTimeout(first)
      window.clearInterval(timer)
    }
  }, [every, on])

  return now
}

/** A new value of `seconds` restarts the countdown. */
export function useCountdown(seconds: number) {
  const [start, setStart] = useState({ seconds, at: 0 })
  if (start.seconds !== seconds) setStart({ seconds, at: 0 })
  const now = useNow(1000, seconds > 0)
  if (now && !start.at) setStart({ seconds, at: now })
  if (!start.at || !now) return Math.max(0, Math.ceil(seconds))
  return Math.max(0, Math.ceil(seconds - (now - start.at) / 1000))
}
