import type { ReactNode } from 'react'
import styles from './two_line_cell.module.css'

interface TwoLineCellProps {
  children: ReactNode
  /** below, in small, where the row is not two lines already */
  second: string
  /** on phones too, where the row has no other second line that says as much */
  always?: boolean
}

/** A cell of two lines: a name, and what tells it from others of that name. */
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
