import { allModules } from '#core/modules'
import { allAlertRules, type AlertRow, type Severity } from '#core/monitoring/alerts'
import { withTimeout } from '#core/monitoring/gauges'
import {
  severityOfUsageRatio,
  formatMegabytesOrGigabytes,
} from '#core/monitoring/builtin_alerts_and_gauges'
import type { PageHref, GetRoutePath } from '#core/page_addresses'
import type { CountQuery } from '#core/menu_badges'
import type { AttentionItem } from '#core/contracts/menu_and_dashboard'
import { buildStuckOperationsCountQuery } from '#core/queries/system_page'
import { HISTOGRAM_BUCKETS_SECONDS, histogramQuantileSeconds } from '#packages/telemetry/metrics'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

/** A line on the page System: "Certificates: 12, the next ends in 34 days". */
export interface HealthIndicator {
  label: string
  value: string
  /** Color of the line. `calm` is neutral: neither good nor bad. */
  tone: 'good' | 'wait' | 'loss' | 'calm'
  href?: GetRoutePath
}

export interface OpenAlert {
  id: number
  label: string
  severity: Severity
  status: 'pending' | 'firing'
  words: string
  href: PageHref | null
  runbook: string
  began_at: string
  silence: { until: string; reason: string; by: string } | null
}

export interface ProcessRow {
  role: string
  machine: string
  pid: number
  version: string
  started_at: string
  /** `away`: the process does not report. `busy`: it reports that it is not ready. */
  status: 'ready' | 'busy' | 'away'
  /** `memory` in bytes. `lag`: event loop delay in milliseconds. */
  memory: number
  lag: number
}

/** Values for each minute of the last hour, oldest first. `null`: not measured. */
export interface HealthHistory {
  /** `from`: Unix time of the first value. `point`: seconds between values. */
  from: number
  point: number
  count: number
  series: Record<HealthSeriesName, (number | null)[]>
}

/**
 * Units: `requests` and `faults` per second, `p99` and `lag` in milliseconds, `waited` in seconds. `memory` and
 * `database` are in bytes, `disk` in percent.
 */
export type HealthSeriesName =
  | 'requests'
  | 'faults'
  | 'p99'
  | 'lag'
  | 'waited'
  | 'memory'
  | 'database'
  | 'connections'
  | 'disk'

export interface Health {
  needs: OpenAlert[]
  processes: ProcessRow[]
  facts: HealthIndicator[]
  history: HealthHistory
  /** Totals of the last hour. `p99` in milliseconds; `null` without requests. */
  hour: { requests: number; faults: number; p99: number | null }
  /** `disk`: bytes of the disk with Berth's data. `connections`: maximum number of database connections. */
  limits: { disk: number | null; connections: number | null }
}

const PROCESS_LOST_SECONDS = 45
const HISTORY_MINUTES = 60
const HEALTH_TIMEOUT_MS = 3_000

export function buildOpenProblemsCountQuery(): CountQuery {
  const { sql, bindings } = buildStuckOperationsCountQuery().toSQL()
  const firing = `select count(*) from alerts a
    where status = 'firing' and name <> 'core.stuck' and not exists (
      select from alert_silences s where s.name = a.name and s.key = a.key and s.until > now())`
  return { toSQL: () => ({ sql: `select (${firing}) + (${sql})`, bindings }) }
}

export async function loadHealth(now = new Date()): Promise<Health> {
  const [needs, processes, facts, minutes] = await Promise.all([
    listNeeds(),
    listProcesses(),
    listHealthDetails(),
    loadLastHour(now),
  ])
  return { needs, processes, facts, ...minutes }
}

/** Omits silenced alerts. Worst first. */
export async function listFiringAlerts(limit: number): Promise<AttentionItem[]> {
  const needs = (await listNeeds()).filter(({ status, silence }) => status === 'firing' && !silence)
  return needs.slice(0, limit).map(({ label, words, severity, href }) => ({
    title: label,
    detail: words,
    href: href ?? '/admin/system',
    tone: severity === 'critical' ? 'loss' : 'wait',
  }))
}

async function listNeeds(): Promise<OpenAlert[]> {
  const { rows } = await db.rawQuery<{ rows: NeedRow[] }>(
    `select a.*, s.until, s.reason, s.by from alerts a
     left join alert_silences s on s.name = a.name and s.key = a.key and s.until > now()
     where a.status <> 'resolved'
     order by (s.until is not null), (a.status = 'pending'), (a.severity = 'warning'), a.began_at
     limit 100`
  )
  const runbooks = new Map(allAlertRules().map(({ name, runbook }) => [name, runbook]))
  return rows.map((row) => ({
    id: row.id,
    label: row.label,
    severity: row.severity,
    words: row.words,
    href: row.href,
    status: row.status === 'pending' ? ('pending' as const) : ('firing' as const),
    runbook: `docs/runbooks/${runbooks.get(row.name) ?? 'README'}.md`,
    began_at: row.began_at.toISOString(),
    silence: row.until
      ? { until: row.until.toISOString(), reason: row.reason ?? '', by: row.by ?? '' }
      : null,
  }))
}

interface NeedRow extends AlertRow {
  until: Date | null
  reason: string | null
  by: string | null
}

async function listProcesses(): Promise<ProcessRow[]> {
  const { rows } = await db.rawQuery<{ rows: KnownProcess[] }>(
    `select p.*, coalesce(m.name, 'a machine') as machine,
       p.seen_at < now() - make_interval(secs => ?) as away
     from processes p left join machines m on m.id = p.machine_id
     order by machine, array_position(array['web', 'gateway', 'worker', 'vault', 'mail', 'broker'], role), pid`,
    [PROCESS_LOST_SECONDS]
  )
  return rows.map(({ role, machine, pid, version, memory, lag, ready, away, ...row }) => ({
    role,
    machine,
    pid,
    version,
    memory,
    started_at: row.started_at.toISOString(),
    status: away ? ('away' as const) : ready ? ('ready' as const) : ('busy' as const),
    lag: lag * 1_000,
  }))
}

interface KnownProcess {
  role: string
  machine: string
  pid: number
  version: string
  started_at: Date
  memory: number
  lag: number
  ready: boolean
  away: boolean
}

/** A module that fails gets a line "Unknown". */
async function listHealthDetails(): Promise<HealthIndicator[]> {
  const details = await Promise.all(
    allModules().map(async ({ name, health }) => {
      if (!health) return []
      try {
        return await withTimeout(health(), HEALTH_TIMEOUT_MS)
      } catch (error) {
        logger.warn({ err: error, domain: name }, 'the health of a module could not be read')
        return [{ label: name, value: 'Unknown', tone: 'wait' as const }]
      }
    })
  )
  return details.flat()
}

interface Minute {
  at: Date
  classes: number[]
  faults: number
  lag: number
  memory: number
  waited: number
  disk_used: number
  disk_total: number
  database_bytes: number
  connections: number
  most_connections: number
}

async function loadLastHour(now: Date): Promise<Pick<Health, 'history' | 'hour' | 'limits'>> {
  const last = Math.floor(now.getTime() / 60_000) * 60
  const from = last - (HISTORY_MINUTES - 1) * 60
  const { rows } = await db.rawQuery<{ rows: Minute[] }>(
    `select * from monitoring_minutes where at >= to_timestamp(?) order by at`,
    [from]
  )
  const at = Array.from({ length: HISTORY_MINUTES }, (_, index) =>
    rows.filter((row) => row.at.getTime() / 1_000 === from + index * 60)
  )
  const each = (read: (minutes: Minute[]) => number | null) =>
    at.map((minutes) => (minutes.length ? read(minutes) : null))
  const maxOf = (read: (minute: Minute) => number) =>
    each((minutes) => Math.max(...minutes.map(read)))
  const total = (read: (minute: Minute) => number) =>
    each((minutes) => minutes.reduce((sum, minute) => sum + read(minute), 0))
  const milliseconds = (classes: number[]) => {
    const seconds = histogramQuantileSeconds(0.99, classes)
    return seconds === null ? null : Math.round(seconds * 10_000) / 10
  }
  const all = sumMinutes(rows)
  const newest = rows.at(-1)
  return {
    history: {
      from,
      point: 60,
      count: HISTORY_MINUTES,
      series: {
        requests: each((minutes) => sumOf(sumMinutes(minutes)) / 60),
        faults: each((minutes) => minutes.reduce((sum, { faults }) => sum + faults, 0) / 60),
        p99: each((minutes) => milliseconds(sumMinutes(minutes))),
        lag: maxOf(({ lag }) => lag * 1_000),
        waited: maxOf(({ waited }) => waited),
        memory: total(({ memory }) => memory),
        database: maxOf(({ database_bytes: bytes }) => bytes),
        connections: maxOf(({ connections }) => connections),
        disk: maxOf(({ disk_used: used, disk_total: of }) => (used / of) * 100),
      },
    },
    hour: {
      requests: sumOf(all),
      faults: rows.reduce((sum, { faults }) => sum + faults, 0),
      p99: milliseconds(all),
    },
    limits: {
      disk: newest?.disk_total ?? null,
      connections: newest?.most_connections ?? null,
    },
  }
}

const sumOf = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0)

function sumMinutes(minutes: Minute[]): number[] {
  const classes = new Array<number>(HISTOGRAM_BUCKETS_SECONDS.length + 1).fill(0)
  for (const minute of minutes) minute.classes.forEach((count, at) => (classes[at]! += count))
  return classes
}

export async function loadCoreHealthIndicators(): Promise<HealthIndicator[]> {
  const { rows } = await db.rawQuery<{ rows: Minute[] }>(
    `select * from monitoring_minutes where at > now() - interval '10 minutes' order by at desc limit 1`
  )
  const [minute] = rows
  if (!minute) return []
  const { disk_used: used, disk_total: of, connections, most_connections: maxConnections } = minute
  return [
    {
      label: 'Disk with Berth’s data',
      value: `${formatMegabytesOrGigabytes(of - used)} of ${formatMegabytesOrGigabytes(of)} free`,
      tone: severityTone(severityOfUsageRatio(used / of)),
    },
    {
      label: 'Database',
      value: `${formatMegabytesOrGigabytes(minute.database_bytes)}, ${connections} of ${maxConnections} connections`,
      tone: severityTone(severityOfUsageRatio(connections / maxConnections)),
    },
  ]
}

export function severityTone(severity: Severity | null): HealthIndicator['tone'] {
  return severity === null ? 'good' : severity === 'critical' ? 'loss' : 'wait'
}
