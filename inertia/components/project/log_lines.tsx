import { useEffect, useRef } from 'react'
import { useRegion } from '@ui/region'
import { localizeLogLine } from './log_times'
import styles from './project.module.css'

interface LogLinesProps {
  label: string
  lines: string[] | null
  /** The machine's UTC offset in minutes. */
  utcOffset: number
  empty: string
}

/** Scrolls to new lines, unless the person has scrolled up. */
export function LogLines({ label, lines, utcOffset, empty }: LogLinesProps) {
  const box = useRef<HTMLPreElement>(null)
  const following = useRef(true)
  const { timeZone: zone } = useRegion()

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
      {lines?.length
        ? lines.map((line) => localizeLogLine(line, zone, utcOffset)).join('\n')
        : empty}
    </pre>
  )
}
