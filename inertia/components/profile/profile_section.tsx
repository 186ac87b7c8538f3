import type { ReactNode } from 'react'
import styles from './profile_section.module.css'

interface ProfileSectionProps {
  title: string
  hint: string
  wide?: boolean
  children: ReactNode
}

/** Shows an explanation on the left and controls on the right. */
export function ProfileSection({ title, hint, wide, children }: ProfileSectionProps) {
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
