import { useNow } from './use_now'
import styles from './step_list.module.css'

export interface Step {
  name: string
  state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped'
  /** ISO times */
  startedAt?: string | null
  finishedAt?: string | null
  /** what it says of itself, or why it failed */
  detail?: string | null
}

const words = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
}

/** Milliseconds as a reader wants them: 0.4 s, 12 s, 1 min 05 s. */
export function durationText(ms: number) {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** The steps of long work as they happen, each with its time. */
export function StepList({ steps, label = 'Steps' }: { steps: Step[]; label?: string }) {
  const now = useNow(
    1000,
    steps.some((step) => step.state === 'running')
  )

  return (
    <ol className={styles.steps} aria-label={label} aria-live="polite" aria-atomic="false">
      {steps.map(({ name, state, startedAt, finishedAt, detail }) => {
        const end = finishedAt ? Date.parse(finishedAt) : state === 'running' ? now : 0
        const took = startedAt && end ? durationText(end - Date.parse(startedAt)) : null
        return (
          <li key={name} data-state={state} aria-current={state === 'running' ? 'step' : undefined}>
            <span className={styles.mark} aria-hidden />
            <span className={styles.name}>
              {name}
              <span className="visually-hidden">, {words[state]}</span>
            </span>
            {took && (
              <span className={styles.time} aria-hidden={state === 'running' || undefined}>
                {took}
              </span>
            )}
            {detail && <span className={styles.detail}>{detail}</span>}
          </li>
        )
      })}
    </ol>
  )
}
