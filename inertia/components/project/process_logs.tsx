import { useEffect, useState } from 'react'
import { LogLines } from './log_lines'

const MAX_LINES = 1_000

export function ProcessLogs({ url }: { url: string }) {
  const [lines, setLines] = useState<string[] | null>(null)
  const [ended, setEnded] = useState(false)

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

  return (
    <LogLines
      label="Logs"
      lines={lines}
      empty={ended ? 'The logs cannot be loaded. Retrying…' : 'No log lines yet.'}
    />
  )
}
