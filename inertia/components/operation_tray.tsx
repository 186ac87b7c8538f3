import { useEffect, useState } from 'react'
import { router } from '@inertiajs/react'
import { Link } from '~/components/link'
import { call } from '~/call'
import styles from './operation_tray.module.css'

export interface RunningOperation {
  id: string
  /** what is done, to what: "Creating web-1" */
  title: string
  /** the step that runs now */
  step?: string | null
  /** 0 to 1 */
  progress?: number | null
  /** the page it belongs to */
  href: string
}

const POLL_MS = 3000

let served = true

/**
 * Operations that run now, followed across pages. Asks after each visit and then only as long as
 * something runs; where the server knows no operations (404) it never asks again.
 */
export function OperationTray() {
  const [running, setRunning] = useState<RunningOperation[]>([])
  const [open, setOpen] = useState(false)

  useEffect(() => {
    let timer: number | undefined
    let leaving = new AbortController()

    const look = async () => {
      window.clearTimeout(timer)
      leaving.abort()
      if (!served) return
      const { signal } = (leaving = new AbortController())
      const answer = await call<RunningOperation[]>('/operations/running', {
        signal,
        toasts: 'none',
      })
      if (signal.aborted) return
      if (answer.status === 404) served = false
      const found = answer.success && Array.isArray(answer.data) ? answer.data : []
      setRunning(found)
      if (found.length) timer = window.setTimeout(look, POLL_MS)
    }

    void look()
    const stop = router.on('success', () => void look())
    return () => {
      stop()
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [])

  if (!running.length) return null
  return (
    <div className={styles.root} onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}>
      <button
        type="button"
        className={styles.button}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.pulse} aria-hidden />
        {running.length} running
      </button>
      {open && (
        <ul className={styles.list} aria-label="Running operations">
          {running.map(({ id, title, step, progress, href }) => (
            <li key={id}>
              <Link href={href} className={styles.item} onClick={() => setOpen(false)}>
                <strong>{title}</strong>
                {step && <span>{step}</span>}
                {typeof progress === 'number' && (
                  <progress
                    className={styles.progress}
                    value={progress}
                    max={1}
                    aria-label={title}
                  />
                )}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
