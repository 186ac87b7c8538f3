import { useContext, useState } from 'react'
import { dateText, TimeZone } from '@ui/date_text'
import { EmptyState } from '@ui/empty_state'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { Chart, type Line } from '~/components/metrics/chart'
import { hasPoints, highest, type MetricsHistory } from '~/components/metrics/history'
import { momentOf } from '~/components/metrics/time_axis'
import { bytes, percent, roundedUp } from '~/components/metrics/units'
import { NeedList } from './need_list'
import { ProcessTable } from './process_table'
import styles from './system.module.css'
import { MIN_RELOAD_INTERVAL_MS } from './tones'
import type { HealthPage } from './types'

/** How the installation is: what needs somebody, its processes, and the last hour. */
export function HealthPanel({ health }: { health: HealthPage['health'] }) {
  useLiveProps(['monitoring', 'alert'], ['health'], { rest: MIN_RELOAD_INTERVAL_MS })
  const { needs, processes, facts, hour } = health
  return (
    <div className={styles.health}>
      <NeedList needs={needs} />
      <section aria-label="Key figures">
        <dl className={styles.facts}>
          <div>
            <dt>Requests, last hour</dt>
            <dd>{hour.requests.toLocaleString('en-US')}</dd>
          </div>
          <div>
            <dt>Response time (p99)</dt>
            <dd>{hour.p99 === null ? '-' : milliseconds(hour.p99)}</dd>
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
        <LastHour health={health} />
      </section>
    </div>
  )
}

function LastHour({ health: { history: told, limits } }: { health: HealthPage['health'] }) {
  const [pointed, setAt] = useState<number | null>(null)
  const zone = useContext(TimeZone)
  const history: MetricsHistory = { ...told, range: '1h' }
  const { series } = told
  const shared = { history, at: pointed, onAt: setAt }
  const line = (label: string, name: keyof typeof series): Line => ({ label, values: series[name] })
  const most = (...lines: Line[]) => Math.max(...lines.map(({ values }) => highest(values) ?? 0))
  const requests = [line('Requests', 'requests'), line('Failed', 'faults')]
  const speed = [line('Response time (p99)', 'p99'), line('Event loop lag', 'lag')]
  const waits = [line('Oldest operation', 'waited')]

  return (
    <>
      <div className={styles.head}>
        <h2>Last hour</h2>
        {pointed !== null && (
          <p className={styles.moment}>{dateText(momentOf(history, pointed), 'moment', zone)}</p>
        )}
      </div>
      {hasPoints(history) ? (
        <div className={styles.charts}>
          <Chart
            {...shared}
            title="Requests"
            lines={requests}
            top={Math.max(1, roundedUp(most(...requests)))}
            format={perSecond}
          />
          <Chart
            {...shared}
            title="Response time and event loop lag"
            lines={speed}
            top={Math.max(100, roundedUp(most(...speed)))}
            format={milliseconds}
          />
          <Chart
            {...shared}
            title="Waiting operations"
            lines={waits}
            top={Math.max(10, roundedUp(most(...waits)))}
            format={seconds}
          />
          <Chart
            {...shared}
            title="Memory of all processes"
            lines={[line('Memory', 'memory')]}
            top={roundedUp(highest(series.memory) ?? 1, 1024)}
            format={bytes}
          />
          <Chart
            {...shared}
            title="Disk that holds Berth"
            of={limits.disk ? `of ${bytes(limits.disk)}` : undefined}
            lines={[line('Disk', 'disk')]}
            top={100}
            format={percent}
          />
          <Chart
            {...shared}
            title="Database connections"
            of={limits.connections ? `of ${limits.connections}` : undefined}
            lines={[line('Connections', 'connections')]}
            top={limits.connections ?? roundedUp(highest(series.connections) ?? 1)}
            format={plain}
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

const plain = (value: number) => String(Math.round(value))
const perSecond = (value: number) => `${Number(value.toFixed(value >= 10 ? 0 : 2))}/s`
const milliseconds = (value: number) =>
  value >= 1_000 ? `${Number((value / 1_000).toFixed(2))} s` : `${Math.round(value)} ms`
const seconds = (value: number) =>
  value >= 120 ? `${Math.round(value / 60)} min` : `${Math.round(value)} s`
