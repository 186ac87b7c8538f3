import type { ReactNode } from 'react'
import styles from './empty_state.module.css'

interface EmptyStateProps {
  title: string
  hint?: string
  action?: ReactNode
}

export function EmptyState({ title, hint, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <svg width="72" height="40" viewBox="0 0 72 40" fill="none" aria-hidden focusable="false">
        <path
          d="M22 9.5a4 4 0 0 1 4-4h20a4 4 0 0 1 0 8H26a4 4 0 0 1-4-4Z"
          className={styles.shape}
        />
        <path d="M29 13.5h14v15H29z" className={styles.shape} />
        <path d="M4 32h64" className={styles.quay} />
      </svg>
      <p className={styles.title}>{title}</p>
      {hint && <p className={styles.hint}>{hint}</p>}
      {action && <div className={styles.action}>{action}</div>}
    </div>
  )
}
