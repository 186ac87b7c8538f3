import type { ReactNode } from 'react'
import styles from './page_header.module.css'

interface PageHeaderProps {
  title: ReactNode
  /** Content beside the title, for example a status badge. */
  aside?: ReactNode
  hint?: ReactNode
  action?: ReactNode
  back?: ReactNode
  children?: ReactNode
}

export function PageHeader({ title, aside, hint, action, back, children }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      {back && <div className={styles.back}>{back}</div>}
      <div className={styles.line}>
        <div className={styles.words}>
          <div className={styles.title}>
            <h1>{title}</h1>
            {aside}
          </div>
          {hint && <p className={styles.hint}>{hint}</p>}
        </div>
        {action && <div className={styles.action}>{action}</div>}
      </div>
      {children}
    </header>
  )
}
