import type { ReactNode } from 'react'
import styles from './content_section.module.css'

interface ContentSectionProps {
  title: string
  /** Content at the right of the title, such as a button. */
  action?: ReactNode
  children: ReactNode
}

export function ContentSection({ title, action, children }: ContentSectionProps) {
  return (
    <section className={styles.section} aria-label={title}>
      <header className={styles.header}>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  )
}
