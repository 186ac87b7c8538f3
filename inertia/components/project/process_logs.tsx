import { useEffect, useRef, useState } from 'react'
import styles from './project.module.css'

const MAX_LINES = 1_000

/** If the person has scrolled up, the view does not move. */
export function ProcessLogs({ url }: { url: string }) {
  const [lines, setLines] = useState<string[] | null>(null)
  const [ended, setEnded] = useState(false)
  const box = useRef<HTMLPreElement>(null)
  const following = useRef(true)

  useEffect(() => {
    const source = new EventSource(url)
    source.onopen = () => setEnded(false)
    source.onmessage = (event: MessageEvent<string>) => {
      const fresh = (JSON.parse(event.data) as { lines: string[] }).lines
      setLines((before) => [...(before ?? []), ...fresh].slice(-MAX_LINES))
    }
    source.onerror = () => {
      // The browser reconnects automatically and gets the last lines again.
      setEnded(true)
      setLines(null)
    }
    return () => source.close()
  }, [url])

  useEffect(() => {
    if (following.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])

  return (
    <pre
      ref={box}
      className={styles.logs}
      tabIndex={0}
      role="log"
      aria-label="Logs"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        following.current = scrollHeight - scrollTop - clientHeight < 24
      }}
    >
      {lines?.join('\n') ?? (ended ? 'The logs cannot be loaded. Retrying…' : 'No log lines yet.')}
    </pre>
  )
}
