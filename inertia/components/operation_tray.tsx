import { useEffect, useState } from 'react'
import { useClickOutside } from '@mantine/hooks'
import { useNow } from '@ui/use_now'
import { Link } from '~/components/link'
import { prefixForArea } from '~/area_prefix'
import { STUCK_MESSAGE } from '~/components/operation/operation_progress'
import {
  refreshStoredOperations,
  clearOperations,
  isFinished,
  useStoredOperations,
  useOperationStoreSync,
} from '~/components/operation/operation_store'
import type { OperationView } from '~/components/operation/types'
import type { Area } from '~/types'
import { resourceHref } from '~/resource_href'
import styles from './operation_tray.module.css'

const isRunning = ({ status }: OperationView) => status === 'queued' || status === 'running'
const needsAttention = ({ status }: OperationView) => status === 'failed' || status === 'stuck'

function statusNote({ status, steps, error }: OperationView) {
  if (status === 'done') return 'Done'
  if (status === 'failed') return error ?? 'Failed'
  if (status === 'stuck') return STUCK_MESSAGE
  return steps.find((step) => step.status === 'running')?.label ?? 'Waiting to start'
}

function completedFraction({ steps }: OperationView) {
  const parts = steps.map((step) => (step.status === 'done' ? 1 : (step.progress ?? 0)))
  return parts.length ? parts.reduce((sum, part) => sum + part, 0) / parts.length : 0
}

const FINISHED_SHOWN_MS = 60_000

/** Returns at most 20 operations, newest first, without those that finished more than `FINISHED_SHOWN_MS` ago. */
function visibleOperations(known: OperationView[], now: number) {
  const recent = ({ endedAt }: OperationView) =>
    !endedAt || now - new Date(endedAt).getTime() < FINISHED_SHOWN_MS
  return known
    .filter((one) => !isFinished(one) || recent(one))
    .sort((one, other) => (other.createdAt ?? '').localeCompare(one.createdAt ?? ''))
    .slice(0, 20)
}

export function OperationTray({ area, person }: { area: Area; person: string | number }) {
  const prefix = prefixForArea(area)
  const [open, setOpen] = useState(false)
  const root = useClickOutside<HTMLDivElement>(() => setOpen(false))
  useOperationStoreSync(area)
  const known = [...useStoredOperations().values()]
  const now = useNow(5_000, known.some(isFinished))
  const operations = visibleOperations(known, now)

  useEffect(() => {
    const leaving = new AbortController()
    void refreshStoredOperations(area, leaving.signal)
    return () => {
      leaving.abort()
      clearOperations()
    }
  }, [area, person])

  if (!operations.length) return null
  const running = operations.filter(isRunning).length
  const failed = operations.filter(needsAttention).length
  const label =
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
        <span className={styles.words}>{label}</span>
        <span className={styles.count} aria-hidden>
          {failed || running || operations.length}
        </span>
      </button>
      {open && (
        <ul className={styles.list} aria-label="Operations">
          {operations.map((operation) => {
            const { id, title, subject } = operation
            const href = resourceHref(subject, prefix)
            const content = (
              <>
                <strong>{title}</strong>
                <span data-failed={needsAttention(operation) || undefined}>
                  {statusNote(operation)}
                </span>
                {isRunning(operation) && (
                  <progress
                    className={styles.progress}
                    value={completedFraction(operation)}
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
