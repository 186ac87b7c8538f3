import type { ReactNode } from 'react'
import styles from './two_line_cell.module.css'

interface TwoLineCellProps {
  children: ReactNode
  /** The second line, in small type, on wide screens. */
  second: string
  /** For rows without a comparable second line. */
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
