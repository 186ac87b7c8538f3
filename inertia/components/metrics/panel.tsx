import { useContext, useEffect, useState } from 'react'
import { usePage } from '@inertiajs/react'
import { dateText, TimeZone } from '@ui/date_text'
import { EmptyState } from '@ui/empty_state'
import { useDelayed } from '@ui/use_delayed'
import type { ReadAddress } from '#core/page_addresses'
import { call } from '~/api_call'
import { Chart, type Line } from './chart'
import { hasPoints, highest, rangeAddress, rangeOf, ranges, sinceKnown } from './history'
import type { MetricsHistory } from './history'
import { momentOf } from './time_axis'
import { step } from '~/step'
import { bytes, bytesPerSecond, percent, roundedUp } from './units'
import styles from './panel.module.css'

interface MetricsPanelProps {
  /** the call that answers the numbers, without its range */
  href: ReadAddress
  /** processors that 100 % stands for */
  cpus: number | undefined
  /** host: what instances use, beside the load of the machine */
  kind: 'instance' | 'host'
}

const RELOAD_INTERVAL_MS = 60_000

/** What an instance or a host uses, renewed each minute while it is looked at. */
export function MetricsPanel({ href, cpus = 1, kind }: MetricsPanelProps) {
  const { url } = usePage()
  const range = rangeOf(url)
  const [history, setHistory] = useState<MetricsHistory | null>(null)
  const [failed, setFailed] = useState(false)
  const [pointed, setAt] = useState<number | null>(null)
  const zone = useContext(TimeZone)
  const waiting = useDelayed(!history && !failed)
  const at = history && pointed !== null ? Math.min(pointed, history.count - 1) : null

  useEffect(() => {
    const leaving = new AbortController()
    const look = async () => {
      if (document.visibilityState === 'hidden') return
      const { data, success } = await call<{ metrics: MetricsHistory }>(href, {
        data: { range },
        method: 'GET',
        signal: leaving.signal,
        toasts: 'none',
      })
      if (leaving.signal.aborted) return
      setFailed(!success)
      if (data) setHistory(sinceKnown(data.metrics))
    }
    void look()
    const timer = window.setInterval(look, RELOAD_INTERVAL_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      leaving.abort()
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [href, range])

  return (
    <section aria-label="Metrics">
      <div className={styles.bar}>
        <div role="group" aria-label="Range" className={styles.ranges}>
          {ranges.map(({ key, label }) => (
            <button
              key={key}
              type="button"
              aria-pressed={key === range}
              onClick={() => step(rangeAddress(url, key))}
            >
              {label}
            </button>
          ))}
        </div>
        {history && at !== null && (
          <p className={styles.moment}>{dateText(momentOf(history, at), 'moment', zone)}</p>
        )}
        {failed && history && (
          <p className={styles.stale} role="status">
            The latest measurements could not be loaded. Retrying every minute.
          </p>
        )}
      </div>
      {history ? (
        hasPoints(history) ? (
          <Charts history={history} cpus={cpus} kind={kind} at={at} onAt={setAt} />
        ) : (
          <EmptyState
            title="No measurements yet"
            hint={
              kind === 'host'
                ? 'The host is measured every minute. The first charts appear after two minutes.'
                : 'A running instance is measured every minute. The first charts appear after two minutes.'
            }
          />
        )
      ) : failed ? (
        <EmptyState
          title="The measurements could not be loaded"
          hint="Measuring continues and no data is lost. This page retries every minute."
        />
      ) : (
        <div className={styles.bones} data-shown={waiting || undefined} aria-busy>
          <span />
          <span />
          <span />
          <span />
          <span />
        </div>
      )}
    </section>
  )
}

interface ChartsProps {
  history: MetricsHistory
  cpus: number
  kind: MetricsPanelProps['kind']
  at: number | null
  onAt: (index: number | null) => void
}

function Charts({ history, cpus, kind, at, onAt }: ChartsProps) {
  const { series } = history
  const shared = { history, at, onAt }

  const share = (name: string, of: number) =>
    series[name].map((value) => (value === null ? null : (value / of) * 100))
  const cpu: Line[] =
    kind === 'host'
      ? [
          { label: 'Instances', values: share('cpu', cpus) },
          { label: 'Host load', values: share('load', cpus) },
        ]
      : [{ label: 'CPU', values: share('cpu', cpus) }]
  const most = (lines: Line[]) => Math.max(...lines.map(({ values }) => highest(values) ?? 0))

  const memoryTotal = highest(series.memory_total) ?? 0
  const diskTotal = highest(series.disk_total) ?? 0
  const network = [
    { label: 'Received', values: series.network_in },
    { label: 'Sent', values: series.network_out },
  ]
  const disk = [
    { label: 'Read', values: series.disk_read },
    { label: 'Written', values: series.disk_written },
  ]
  const space = [{ label: 'Disk', values: series.disk_used }]

  return (
    <div className={styles.charts}>
      <Chart
        {...shared}
        title="CPU"
        of={cpus === 1 ? 'of 1 vCPU' : `of ${cpus} vCPUs`}
        lines={cpu}
        top={Math.max(10, roundedUp(most(cpu)))}
        format={percent}
      />
      <Chart
        {...shared}
        title="Memory"
        of={memoryTotal ? `of ${bytes(memoryTotal)}` : undefined}
        lines={[{ label: 'Memory', values: series.memory_used }]}
        top={memoryTotal || roundedUp(highest(series.memory_used) ?? 0, 1024)}
        format={bytes}
      />
      <Chart
        {...shared}
        title="Network"
        lines={network}
        top={Math.max(1024, roundedUp(most(network), 1024))}
        format={bytesPerSecond}
      />
      <Chart
        {...shared}
        title="Disk space"
        of={diskTotal ? `of ${bytes(diskTotal)}` : undefined}
        lines={space}
        top={diskTotal || roundedUp(most(space), 1024)}
        format={bytes}
      />
      <Chart
        {...shared}
        title="Disk activity"
        lines={disk}
        top={Math.max(1024, roundedUp(most(disk), 1024))}
        format={bytesPerSecond}
      />
    </div>
  )
}
