import type { ReactNode } from 'react'
import styles from './two_line_cell.module.css'

interface TwoLineCellProps {
  children: ReactNode
  /** Second line, in small type, on wide screens. */
  second: string
  /** Whether the second line is shown on narrow screens too. */
  always?: boolean
}

export function TwoLineCell({ children, second, always = false }: TwoLineCellProps) {
  return (
    <span className={styles.two}>
      {typeof children === 'string' ? <span title={children}>{children}</span> : children}
      <small className={styles.second} data-always={always} title={second}>
        {second}
      </small>
    </span>
  )
}
