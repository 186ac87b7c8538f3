import { statusLabel } from './status_label'
import styles from './status_badge.module.css'

/** good: works; wait: needs action or time; loss: failed or lost; calm: inactive. */
export type StatusTone = 'good' | 'wait' | 'loss' | 'calm'

const tones: Record<string, StatusTone> = {
  active: 'good',
  verified: 'good',
  success: 'good',
  online: 'good',
  pending: 'wait',
  rejected: 'wait',
  maintenance: 'wait',
  suspended: 'wait',
  failed: 'loss',
  offline: 'loss',
  deleted: 'loss',
}

/** For pages without their own mapping. */
export function statusTone(status: string): StatusTone {
  return tones[status] ?? 'calm'
}

/** Pending and rejected bills get a yellow badge, the others a green one (docs/product.md, "Words and statuses"). */
export function billTone(status: string): StatusTone {
  return status === 'pending' || status === 'rejected' ? 'wait' : 'good'
}

interface StatusBadgeProps {
  status: string
  /** The server's label. Default: the status key as words. */
  label?: string
  tone?: StatusTone
}

export function StatusBadge({ status, label, tone = statusTone(status) }: StatusBadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone} data-status={status}>
      <span className={styles.dot} aria-hidden />
      {statusLabel(label ?? status)}
    </span>
  )
}
