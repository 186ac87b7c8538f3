import { useEffect, useState } from 'react'

/** True once `on` has lasted for `ms`: what is quick enough is not announced. */
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
