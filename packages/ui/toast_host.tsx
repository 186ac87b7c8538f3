import { lazy, Suspense, useEffect, useState } from 'react'
import { onFirstToast } from './notify'

const ToastContainer = lazy(() => import('./toast_container'))

/** Its code loads with the first toast, or after 1.5 s. */
export function ToastHost() {
  const [ready, setReady] = useState(false)

  useEffect(() => {
    const stop = onFirstToast(() => setReady(true))
    const idle = window.setTimeout(() => setReady(true), 1500)
    return () => {
      stop()
      window.clearTimeout(idle)
    }
  }, [])

  if (!ready) return null
  return (
    <Suspense fallback={null}>
      <ToastContainer />
    </Suspense>
  )
}
