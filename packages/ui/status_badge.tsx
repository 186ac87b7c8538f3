import { statusLabel } from './status_label'
import styles from './status_badge.module.css'

/**
 * Meaning of a status, which decides its colour. good: works. claimed: waits for approval by staff. wait: needs action
 * or time. loss: failed or lost. calm: inactive.
 */
export type StatusTone = 'good' | 'claimed' | 'wait' | 'loss' | 'calm'

/** Tone of each status that means the same on all pages. */
const tones: Record<string, StatusTone> = {
  active: 'good',
  verified: 'good',
  success: 'good',
  online: 'good',
  done: 'good',
  resolved: 'good',
  ready: 'good',
  processing: 'claimed',
  pending: 'wait',
  rejected: 'wait',
  maintenance: 'wait',
  suspended: 'wait',
  queued: 'wait',
  running: 'wait',
  busy: 'wait',
  failed: 'loss',
  stuck: 'loss',
  firing: 'loss',
  away: 'loss',
  offline: 'loss',
  deleted: 'loss',
}

export function statusTone(status: string): StatusTone {
  return tones[status] ?? 'calm'
}

/**
 * Returns the tone of a bill's status. A deleted bill is shown in green, as docs/product.md, "Words and statuses",
 * requires.
 */
export function billTone(status: string): StatusTone {
  return status === 'deleted' ? 'good' : statusTone(status)
}

/** Notes that the badge shows next to the specification's labels. */
const notes: Record<string, string> = { processing: 'waiting for approval' }

interface StatusBadgeProps {
  status: string
  /** Text of the badge. `statusLabel` capitalizes its words. Default: the status key. */
  label?: string
  tone?: StatusTone
}

export function StatusBadge({ status, label, tone = statusTone(status) }: StatusBadgeProps) {
  const badge = (
    <span className={styles.badge} data-tone={tone} data-status={status}>
      <span className={styles.dot} aria-hidden />
      {statusLabel(label ?? status)}
    </span>
  )
  const note = notes[status]
  if (!note) return badge
  return (
    <span className={styles.noted}>
      {badge} <span className={styles.note}>{note}</span>
    </span>
  )
}
