import { useNow } from './use_now'
import styles from './step_list.module.css'

export interface Step {
  key: string
  label: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  /** ISO timestamps. */
  startedAt?: string | null
  endedAt?: string | null
  /** A detail about the step, or the reason of its failure. */
  note?: string | null
  /** From 0 to 1, if known. */
  progress?: number | null
}

/** Formats a duration such as 0.4 s, 12 s or 1 min 05 s. */
export function durationText(ms: number) {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

export function StepList({ steps, label = 'Steps' }: { steps: Step[]; label?: string }) {
  const now = useNow(
    1000,
    steps.some((step) => step.status === 'running')
  )

  return (
    <ol className={styles.steps} aria-label={label} aria-live="polite" aria-atomic="false">
      {steps.map(({ key, label: name, status, startedAt, endedAt, note, progress }) => {
        const end = endedAt ? Date.parse(endedAt) : status === 'running' ? now : 0
        const took = startedAt && end ? durationText(end - Date.parse(startedAt)) : null
        const share =
          status === 'running' && typeof progress === 'number' ? Math.round(progress * 100) : null
        return (
          <li
            key={key}
            data-state={status}
            aria-current={status === 'running' ? 'step' : undefined}
          >
            <span className={styles.mark} aria-hidden />
            <span className={styles.name}>
              {name}
              <span className="visually-hidden">, {status}</span>
            </span>
            {took && (
              <span className={styles.time} aria-hidden={status === 'running' || undefined}>
                {share === null ? took : `${share} % · ${took}`}
              </span>
            )}
            {note && <span className={styles.detail}>{note}</span>}
          </li>
        )
      })}
    </ol>
  )
}
