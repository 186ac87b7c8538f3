import { useEffect, useState } from 'react'

/** Returns true once `on` has been true for `ms` milliseconds, so that fast operations show no loading state. */
export function useDelayed(on: boolean, ms = 250) {
  const [late, setLate] = useState(false)

  useEffect(() => {
    if (!on) return
    const timer = window.setTimeout(() => setLate(true), ms)
    return () => {
      window.clearTimeout(timer)
      setLate(false)
    }
  }, [on, ms])

  return on && late
}
