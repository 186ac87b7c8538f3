import type { ReactNode } from 'react'
import { Head } from '@inertiajs/react'
import styles from './error_page.module.css'

interface ErrorPageProps {
  status?: number
  title: string
  /** Text that says what happened, what was saved and what to do next. */
  children: ReactNode
  actions: ReactNode
}

export function ErrorPage({ status, title, children, actions }: ErrorPageProps) {
  return (
    <section className={styles.page}>
      <Head title={title} />
      {status !== undefined && <p className={styles.status}>{status}</p>}
      <h1>{title}</h1>
      <div className={styles.text}>{children}</div>
      <div className={styles.actions}>{actions}</div>
    </section>
  )
}
