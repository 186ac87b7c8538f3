import { useEffect, useState } from 'react'
import { useClickOutside } from '@mantine/hooks'
import { router } from '@inertiajs/react'
import { Link } from '~/components/link'
import type { Address } from '#core/page_addresses'
import type { Prefix } from '~/area'
import { call } from '~/call'
import { STUCK } from '~/components/operation/progress'
import type { OperationView } from '~/components/operation/types'
import styles from './operation_tray.module.css'

/** The pages of what operations are about. */
const pages: Record<string, (prefix: Prefix, id: number) => Address> = {
  instance: (prefix, id) => `${prefix}/server-instance/${id}`,
  server_instance: (prefix, id) => `${prefix}/server-instance/${id}`,
  host_instance: (_, id) => `/admin/host-instance/${id}`,
  host: (_, id) => `/admin/host-instance/${id}`,
  project: (prefix, id) => `${prefix}/project/${id}`,
}

const runs = ({ status }: OperationView) => status === 'queued' || status === 'running'
const needsSomebody = ({ status }: OperationView) => status === 'failed' || status === 'stuck'

function hrefOf({ type, id }: OperationView['subject'], prefix: Prefix) {
  return pages[type]?.(prefix, Number(id)) ?? null
}

function noteOf({ status, steps, error }: OperationView) {
  if (status === 'done') return 'Done'
  if (status === 'failed') return error ?? 'Failed'
  if (status === 'stuck') return STUCK
  return steps.find((step) => step.status === 'running')?.label ?? 'Waiting to start'
}

/** The part that is done, 0 to 1. */
function shareOf({ steps }: OperationView) {
  const parts = steps.map((step) => (step.status === 'done' ? 1 : (step.progress ?? 0)))
  return parts.length ? parts.reduce((sum, part) => sum + part, 0) / parts.length : 0
}

const POLL_MS = 3000

let served = true

/**
 * Operations that run now or ended just now, followed across pages. Asks after each visit and then
 * only as long as something runs; where the server knows no operations (404) it never asks again.
 */
export function OperationTray({ prefix }: { prefix: Prefix }) {
  const [operations, setOperations] = useState<OperationView[]>([])
  const [open, setOpen] = useState(false)
  const root = useClickOutside<HTMLDivElement>(() => setOpen(false))

  useEffect(() => {
    let timer: number | undefined
    let leaving = new AbortController()

    const look = async () => {
      window.clearTimeout(timer)
      leaving.abort()
      if (!served) return
      const { signal } = (leaving = new AbortController())
      const answer = await call<{ operations: OperationView[] }>(`${prefix}/operations/running`, {
        signal,
        toasts: 'none',
      })
      if (signal.aborted) return
      if (answer.status === 404) served = false
      const found = answer.data?.operations ?? []
      setOperations(found)
      if (found.some(runs)) timer = window.setTimeout(look, POLL_MS)
    }

    void look()
    const stop = router.on('success', () => void look())
    return () => {
      stop()
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [prefix])

  if (!operations.length) return null
  const running = operations.filter(runs).length
  const failed = operations.filter(needsSomebody).length
  const words =
    [running && `${running} running`, failed && `${failed} failed`].filter(Boolean).join(', ') ||
    `${operations.length} done`

  return (
    <div
      ref={root}
      className={styles.root}
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
    >
      <button
        type="button"
        className={styles.button}
        data-state={failed ? 'failed' : running ? 'running' : 'done'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.pulse} aria-hidden />
        {words}
      </button>
      {open && (
        <ul className={styles.list} aria-label="Operations">
          {operations.map((operation) => {
            const { id, title, subject } = operation
            const href = hrefOf(subject, prefix)
            const content = (
              <>
                <strong>{title}</strong>
                <span data-failed={needsSomebody(operation) || undefined}>{noteOf(operation)}</span>
                {runs(operation) && (
                  <progress
                    className={styles.progress}
                    value={shareOf(operation)}
                    max={1}
                    aria-label={title}
                  />
                )}
              </>
            )
            return (
              <li key={id}>
                {href ? (
                  <Link href={href} className={styles.item} onClick={() => setOpen(false)}>
                    {content}
                  </Link>
                ) : (
                  <div className={styles.item}>{content}</div>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
