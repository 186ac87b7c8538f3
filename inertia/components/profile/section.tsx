import type { ReactNode } from 'react'
import styles from './section.module.css'

interface SectionProps {
  title: string
  hint: string
  wide?: boolean
  children: ReactNode
}

/** One subject of a profile: what it is on the left, what can be done on the right. */
export function Section({ title, hint, wide, children }: SectionProps) {
  return (
    <section className={wide ? `${styles.section} ${styles.wide}` : styles.section}>
      <header>
        <h2>{title}</h2>
        <p>{hint}</p>
      </header>
      <div>{children}</div>
    </section>
  )
}
