import { useEffect, useState } from 'react'
import { Alert, Button } from '@mantine/core'
import type { AreaPrefix } from '~/area_prefix'
import { useRegion } from '@ui/region'
import { call } from '~/api_call'
import { LogLines } from './log_lines'
import { localizeLogLine } from './log_times'
import type { SiteLogs } from './types'
import styles from './project.module.css'

interface SiteLogsTabProps {
  projectId: number
  prefix: AreaPrefix
}

export function SiteLogsTab({ projectId, prefix }: SiteLogsTabProps) {
  const [logs, setLogs] = useState<SiteLogs | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [wanted, setWanted] = useState(1)
  const [loaded, setLoaded] = useState(0)
  const busy = loaded !== wanted
  const url = `${prefix}/project/${projectId}/logs` as const

  useEffect(() => {
    let left = false
    void call<SiteLogs>(url, { toasts: 'none' }).then(({ success, data, message }) => {
      if (left) return
      if (success && data) setLogs(data)
      setError(success ? null : message)
      setLoaded(wanted)
    })
    return () => {
      left = true
    }
  }, [url, wanted])

  const { problem, utc_offset: utcOffset = 0 } = logs ?? {}
  const { timeZone } = useRegion()
  const empty = busy ? 'Loading…' : error ? 'The log cannot be loaded.' : 'No log lines yet.'
  return (
    <section aria-label="Logs" aria-busy={busy}>
      <div className={styles.bar}>
        <p>The last lines that the web server wrote about this site. Times are in {timeZone}.</p>
        <Button variant="default" loading={busy} onClick={() => setWanted(wanted + 1)}>
          Refresh
        </Button>
      </div>
      {error && (
        <Alert color="yellow" mb="md">
          {error}
        </Alert>
      )}
      {problem && (
        <Alert className={styles.trouble} color="red" title={problem.words} mb="md">
          <p>{problem.next}</p>
          <pre tabIndex={0} aria-label="Log line of this error">
            {problem.lines.map((line) => localizeLogLine(line, timeZone, utcOffset)).join('\n')}
          </pre>
        </Alert>
      )}
      <h3>Error log</h3>
      <LogLines
        label="Error log"
        lines={logs?.errors ?? null}
        utcOffset={utcOffset}
        empty={empty}
      />
      <h3>Access log</h3>
      <LogLines
        label="Access log"
        lines={logs?.access ?? null}
        utcOffset={utcOffset}
        empty={empty}
      />
    </section>
  )
}
