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
  const [ended, setEnded] = useState(false)
  const { timeZone } = useRegion()

  useEffect(() => {
    const source = new EventSource(url)
    source.onopen = () => setEnded(false)
    source.onmessage = (event: MessageEvent<string>) => {
      const { lines: fresh, utc_offset: offset } = JSON.parse(event.data) as LogEvent
      setUtcOffset(offset)
      setLines((before) => [...(before ?? []), ...fresh].slice(-MAX_LINES))
    }
    source.onerror = () => {
      // After a lost connection, the browser reconnects and the server sends the last lines again. After an HTTP error,
      // the browser does not reconnect.
      setEnded(true)
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
        empty={ended ? 'The logs cannot be loaded. Retrying…' : 'No log lines yet.'}
      />
    </>
  )
}
