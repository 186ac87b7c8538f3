import { useEffect, useRef } from 'react'
import styles from './project.module.css'

interface LogLinesProps {
  label: string
  lines: string[] | null
  /** Shown instead of missing lines. */
  empty: string
}

/** If the person has scrolled up, the view does not move. */
export function LogLines({ label, lines, empty }: LogLinesProps) {
  const box = useRef<HTMLPreElement>(null)
  const following = useRef(true)

  useEffect(() => {
    if (following.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])

  return (
    <pre
      ref={box}
      className={styles.logs}
      tabIndex={0}
      role="log"
      aria-label={label}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        following.current = scrollHeight - scrollTop - clientHeight < 24
      }}
    >
      {lines?.length ? lines.join('\n') : empty}
    </pre>
  )
}
