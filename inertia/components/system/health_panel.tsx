import { useState } from 'react'
import { formatDate } from '@ui/date_text'
import { useRegion } from '@ui/region'
import { EmptyState } from '@ui/empty_state'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { Chart, type ChartLine } from '~/components/metrics/chart'
import {
  hasMeasurements,
  highestValue,
  type MetricsHistory,
} from '~/components/metrics/metrics_history'
import { pointTimeMs } from '~/components/metrics/time_axis'
import { formatBytes, formatPercent, roundUpAxisMax } from '~/components/metrics/format_units'
import { OpenAlertList } from './open_alert_list'
import { ProcessTable } from './process_table'
import styles from './system.module.css'
import { MIN_RELOAD_INTERVAL_MS } from './status_tones'
import type { HealthPage } from './types'

export function HealthPanel({ health }: { health: HealthPage['health'] }) {
  useLiveProps(['monitoring', 'alert'], ['health'], { rest: MIN_RELOAD_INTERVAL_MS })
  const { needs, processes, facts, hour } = health
  return (
    <div className={styles.health}>
      <OpenAlertList needs={needs} />
      <section aria-label="Key figures">
        <dl className={styles.facts}>
          <div>
            <dt>Requests, last hour</dt>
            <dd>{hour.requests.toLocaleString('en-US')}</dd>
          </div>
          <div>
            <dt>Response time (p99)</dt>
            <dd>{hour.p99 === null ? '-' : formatMilliseconds(hour.p99)}</dd>
          </div>
          <div data-tone={hour.faults ? 'wait' : 'good'}>
            <dt>Server errors</dt>
            <dd>{hour.faults.toLocaleString('en-US')}</dd>
          </div>
          {facts.map(({ label, value, tone, href }) => (
            <div key={label} data-tone={tone}>
              <dt>{label}</dt>
              <dd>{href ? <Link href={href}>{value}</Link> : value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-label="Processes">
        <h2>Processes</h2>
        {processes.length ? (
          <ProcessTable processes={processes} />
        ) : (
          <p className={styles.none}>
            No process has reported yet. The first report takes about 30 seconds.
          </p>
        )}
      </section>
      <section aria-label="Last hour">
        <LastHourCharts health={health} />
      </section>
    </div>
  )
}

function LastHourCharts({
  health: { history: minutes, limits },
}: {
  health: HealthPage['health']
}) {
  const [pointed, setAt] = useState<number | null>(null)
  const { timeZone: zone } = useRegion()
  const history: MetricsHistory = { ...minutes, range: '1h' }
  const { series } = minutes
  const shared = { history, at: pointed, onAt: setAt }
  const line = (label: string, name: keyof typeof series): ChartLine => ({
    label,
    values: series[name],
  })
  const maxOf = (...lines: ChartLine[]) =>
    Math.max(...lines.map(({ values }) => highestValue(values) ?? 0))
  const requests = [line('Requests', 'requests'), line('Failed', 'faults')]
  const speed = [line('Response time (p99)', 'p99'), line('Event loop lag', 'lag')]
  const waits = [line('Longest wait', 'waited')]

  return (
    <>
      <div className={styles.head}>
        <h2>Last hour</h2>
        {pointed !== null && (
          <p className={styles.moment}>
            {formatDate(pointTimeMs(history, pointed), 'moment', zone)}
          </p>
        )}
      </div>
      {hasMeasurements(history) ? (
        <div className={styles.charts}>
          <Chart
            {...shared}
            title="Requests"
            lines={requests}
            top={Math.max(1, roundUpAxisMax(maxOf(...requests)))}
            format={formatPerSecond}
          />
          <Chart
            {...shared}
            title="Response time and event loop lag"
            lines={speed}
            top={Math.max(100, roundUpAxisMax(maxOf(...speed)))}
            format={formatMilliseconds}
          />
          <Chart
            {...shared}
            title="Longest wait of an operation"
            lines={waits}
            top={Math.max(10, roundUpAxisMax(maxOf(...waits)))}
            format={formatSeconds}
          />
          <Chart
            {...shared}
            title="Memory of all processes"
            lines={[line('Memory', 'memory')]}
            top={roundUpAxisMax(highestValue(series.memory) ?? 1, 1024)}
            format={formatBytes}
          />
          <Chart
            {...shared}
            title="Disk with Berth’s data"
            of={limits.disk ? `of ${formatBytes(limits.disk)}` : undefined}
            lines={[line('Disk', 'disk')]}
            top={100}
            format={formatPercent}
          />
          <Chart
            {...shared}
            title="Database connections"
            of={limits.connections ? `of ${limits.connections}` : undefined}
            lines={[line('Connections', 'connections')]}
            top={limits.connections ?? roundUpAxisMax(highestValue(series.connections) ?? 1)}
            format={formatWhole}
          />
        </div>
      ) : (
        <EmptyState
          title="No measurements yet"
          hint="Berth is measured every minute. The first charts appear after two minutes."
        />
      )}
    </>
  )
}

const formatWhole = (value: number) => String(Math.round(value))
const formatPerSecond = (value: number) => `${Number(value.toFixed(value >= 10 ? 0 : 2))}/s`
const formatMilliseconds = (value: number) =>
  value >= 1_000 ? `${Number((value / 1_000).toFixed(2))} s` : `${Math.round(value)} ms`
const formatSeconds = (value: number) =>
  value >= 120 ? `${Math.round(value / 60)} min` : `${Math.round(value)} s`
