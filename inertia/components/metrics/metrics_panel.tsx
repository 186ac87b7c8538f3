import { useEffect, useState } from 'react'
import { usePage } from '@inertiajs/react'
import { formatDate } from '@ui/date_text'
import { useRegion } from '@ui/region'
import { EmptyState } from '@ui/empty_state'
import { useDelayed } from '@ui/use_delayed'
import type { GetRoutePath } from '#core/page_addresses'
import { call } from '~/api_call'
import { Chart, type ChartLine } from './chart'
import {
  hasMeasurements,
  highestValue,
  timeRangeUrl,
  timeRangeFromUrl,
  timeRanges,
  trimUnknownStart,
} from './metrics_history'
import type { MetricsHistory } from './metrics_history'
import { pointTimeMs } from './time_axis'
import { pushUrl } from '~/client_navigation'
import { formatBytes, formatBytesPerSecond, formatPercent, roundUpAxisMax } from './format_units'
import styles from './metrics_panel.module.css'

interface MetricsPanelProps {
  /** URL of the metrics, without the parameter `range`. */
  href: GetRoutePath
  cpus: number | undefined
  /** For a host, the CPU chart also shows the host's own load. */
  kind: 'instance' | 'host'
}

const RELOAD_INTERVAL_MS = 60_000

export function MetricsPanel({ href, cpus = 1, kind }: MetricsPanelProps) {
  const { url } = usePage()
  const range = timeRangeFromUrl(url)
  const [history, setHistory] = useState<MetricsHistory | null>(null)
  const [failed, setFailed] = useState(false)
  const [pointed, setAt] = useState<number | null>(null)
  const { timeZone: zone } = useRegion()
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
      if (data) setHistory(trimUnknownStart(data.metrics))
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
          {timeRanges.map(({ key, label }) => (
            <button
              key={key}
              type="button"
              aria-pressed={key === range}
              onClick={() => pushUrl(timeRangeUrl(url, key))}
            >
              {label}
            </button>
          ))}
        </div>
        {history && at !== null && (
          <p className={styles.moment}>{formatDate(pointTimeMs(history, at), 'moment', zone)}</p>
        )}
        {failed && history && (
          <p className={styles.stale} role="status">
            The latest measurements could not be loaded. Retrying every minute.
          </p>
        )}
      </div>
      {history ? (
        hasMeasurements(history) ? (
          <MetricsCharts history={history} cpus={cpus} kind={kind} at={at} onAt={setAt} />
        ) : (
          <EmptyState
            title={`No measurements in ${timeRanges.find(({ key }) => key === history.range)!.words}`}
            hint={
              kind === 'host'
                ? 'The host is measured every minute. The first charts appear after two minutes.'
                : 'An instance is measured every minute while it runs. Choose a longer range, or wait two minutes after the start.'
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

interface MetricsChartsProps {
  history: MetricsHistory
  cpus: number
  kind: MetricsPanelProps['kind']
  at: number | null
  onAt: (index: number | null) => void
}

function MetricsCharts({ history, cpus, kind, at, onAt }: MetricsChartsProps) {
  const { series } = history
  const shared = { history, at, onAt }

  const share = (name: string, of: number) =>
    series[name].map((value) => (value === null ? null : (value / of) * 100))
  const cpu: ChartLine[] =
    kind === 'host'
      ? [
          { label: 'Instances', values: share('cpu', cpus) },
          { label: 'Host load', values: share('load', cpus) },
        ]
      : [{ label: 'CPU', values: share('cpu', cpus) }]
  const maxOf = (lines: ChartLine[]) =>
    Math.max(...lines.map(({ values }) => highestValue(values) ?? 0))

  const memoryTotal = highestValue(series.memory_total) ?? 0
  const diskTotal = highestValue(series.disk_total) ?? 0
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
        top={Math.max(10, roundUpAxisMax(maxOf(cpu)))}
        format={formatPercent}
      />
      <Chart
        {...shared}
        title="Memory"
        of={memoryTotal ? `of ${formatBytes(memoryTotal)}` : undefined}
        lines={[{ label: 'Memory', values: series.memory_used }]}
        top={memoryTotal || roundUpAxisMax(highestValue(series.memory_used) ?? 0, 1024)}
        format={formatBytes}
      />
      <Chart
        {...shared}
        title="Network"
        lines={network}
        top={Math.max(1024, roundUpAxisMax(maxOf(network), 1024))}
        format={formatBytesPerSecond}
      />
      <Chart
        {...shared}
        title="Disk space"
        of={diskTotal ? `of ${formatBytes(diskTotal)}` : undefined}
        lines={space}
        top={diskTotal || roundUpAxisMax(maxOf(space), 1024)}
        format={formatBytes}
      />
      <Chart
        {...shared}
        title="Disk activity"
        lines={disk}
        top={Math.max(1024, roundUpAxisMax(maxOf(disk), 1024))}
        format={formatBytesPerSecond}
      />
    </div>
  )
}
