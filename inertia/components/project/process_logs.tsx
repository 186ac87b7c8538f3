import { useEffect, useState } from 'react'
import { useRegion } from '@ui/region'
import { LogLines } from './log_lines'
import styles from './project.module.css'

const MAX_LINES = 1_000

interface LogEvent {
  lines: string[]
  /** The machine's UTC offset in minutes. */
  utc_offset: number
}

export function ProcessLogs({ url }: { url: string }) {
  const [lines, setLines] = useState<string[] | null>(null)
  const [utcOffset, setUtcOffset] = useState(0)
  const [problem, setProblem] = useState('')
  const { timeZone } = useRegion()

  useEffect(() => {
    const source = new EventSource(url)
    source.onopen = () => setProblem('')
    source.onmessage = (event: MessageEvent<string>) => {
      const { lines: fresh, utc_offset: offset } = JSON.parse(event.data) as LogEvent
      setUtcOffset(offset)
      setLines((before) => [...(before ?? []), ...fresh].slice(-MAX_LINES))
    }
    source.onerror = () => {
      // The browser reconnects after a lost connection, and the server then sends the last lines again. It does not
      // reconnect after an HTTP error.
      const isClosed = source.readyState === EventSource.CLOSED
      setProblem(
        `The logs cannot be loaded. ${isClosed ? 'Close and open them again.' : 'Retrying…'}`
      )
      setLines(null)
    }
    return () => source.close()
  }, [url])

  return (
    <>
      <p className={styles.calm}>Times are in {timeZone}.</p>
      <LogLines
        label="Logs"
        lines={lines}
        utcOffset={utcOffset}
        empty={problem || 'No log lines yet.'}
      />
    </>
  )
}
