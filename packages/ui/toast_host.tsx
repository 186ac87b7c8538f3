import { lazy, Suspense, useEffect, useState } from 'react'
import { onFirstToast } from './notify'

const ToastContainer = lazy(() => import('./toast_container'))

/** The place of toasts, at top right of every page; its code comes when the browser has time. */
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
