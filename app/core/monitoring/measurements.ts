import { publish } from '#core/live/live_events'
import { withTimeout } from '#core/monitoring/gauges'
import { localMachineId } from '#core/local_host'
import {
  fetchProcessReports,
  HISTOGRAM_BUCKETS_SECONDS,
  type ProcessReport,
} from '#packages/telemetry/metrics'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import { statfs } from 'node:fs/promises'

export const MONITORING_TOPIC = 'monitoring:now'

const MINUTE_FIGURES_DAYS = 14
const ALERT_RETENTION_DAYS = 365
/** Measuring the disk of BERTH_HOME may hang, for example on a network file system. */
const DISK_TIMEOUT_MS = 5_000

type Before = Map<string, ProcessReport>
let before: Before = new Map()

export async function recordProcessReports(now = new Date()): Promise<void> {
  const folder = env.get('METRICS_FOLDER')
  if (!folder) return
  const reports = await fetchProcessReports(folder)
  await saveReports(reports, now)
  const answered = sumIncreases(before, reports)
  before = new Map(reports.map((report) => [keyOf(report), report]))
  await addToMinute(reports, answered, now)
  await publish(MONITORING_TOPIC)
}

const keyOf = ({ role, pid, startedAt }: ProcessReport) => `${role} ${pid} ${startedAt}`

/**
 * Adds up the requests since each process's previous report. A process without a previous report counts only if it
 * started recently.
 */
export function sumIncreases(previousReports: Before, reports: ProcessReport[]) {
  const classes = new Array<number>(HISTOGRAM_BUCKETS_SECONDS.length + 1).fill(0)
  let faults = 0
  for (const report of reports) {
    const last = previousReports.get(keyOf(report))
    // For a longer-running process, the minute of its earlier requests is unknown.
    if (!last && Date.now() - Date.parse(report.startedAt) > 120_000) continue
    report.classes.forEach((count, at) => (classes[at]! += count - (last?.classes[at] ?? 0)))
    faults += report.faults - (last?.faults ?? 0)
  }
  return { classes, faults }
}

/**
 * Saves reports, and deletes processes that another process of their role has replaced. Without a replacement the
 * row stays, so that an alert can report the missing role.
 */
async function saveReports(reports: ProcessReport[], now: Date): Promise<void> {
  const machine = localMachineId()
  for (const { role, pid, version, startedAt, ready, memory, heap, lag } of reports) {
    await db.rawQuery(
      `insert into processes (machine_id, role, pid, version, started_at, seen_at, ready, memory, heap, lag)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (machine_id, role, pid) do update set version = excluded.version,
         started_at = excluded.started_at, seen_at = excluded.seen_at, ready = excluded.ready,
         memory = excluded.memory, heap = excluded.heap, lag = excluded.lag`,
      [machine, role, pid, version, startedAt, now, ready, memory, heap, lag]
    )
  }
  await db.rawQuery(
    `delete from processes gone where machine_id = ? and seen_at < ? and exists (
       select from processes other where other.machine_id = gone.machine_id
         and other.role = gone.role and other.seen_at = ?)`,
    [machine, now, now]
  )
}

async function addToMinute(
  reports: ProcessReport[],
  { classes, faults }: { classes: number[]; faults: number },
  now: Date
): Promise<void> {
  const [disk, database, waited] = await Promise.all([
    homeDisk(),
    loadOwnDatabaseUse(),
    findOldestDue(),
  ])
  const lag = Math.max(0, ...reports.map((report) => report.lag))
  const memory = reports.reduce((sum, report) => sum + report.memory, 0)
  await db.rawQuery(
    `insert into monitoring_minutes as known (machine_id, at, classes, faults, lag, memory, waited,
       disk_used, disk_total, database_bytes, connections, most_connections)
     values (:machine, date_trunc('minute', :now::timestamptz), :classes, :faults, :lag, :memory, :waited,
       :used, :total, :bytes, :connections, :most)
     on conflict (machine_id, at) do update set faults = known.faults + excluded.faults,
       classes = (select array_agg(coalesce(one, 0) + coalesce(other, 0) order by place)
         from unnest(known.classes, excluded.classes) with ordinality as added (one, other, place)),
       lag = greatest(known.lag, excluded.lag), memory = greatest(known.memory, excluded.memory),
       waited = greatest(known.waited, excluded.waited), disk_used = excluded.disk_used,
       disk_total = excluded.disk_total, database_bytes = excluded.database_bytes,
       connections = greatest(known.connections, excluded.connections),
       most_connections = excluded.most_connections`,
    {
      machine: localMachineId(),
      now,
      classes,
      faults,
      lag,
      memory,
      waited,
      ...disk,
      bytes: database.bytes,
      connections: database.connections,
      most: database.most,
    }
  )
}

/** Bytes of the file system that contains BERTH_HOME. */
async function homeDisk(): Promise<{ used: number; total: number }> {
  const { blocks, bavail, bsize } = await withTimeout(
    statfs(env.get('BERTH_HOME')),
    DISK_TIMEOUT_MS
  )
  return { used: (blocks - bavail) * bsize, total: blocks * bsize }
}

export interface DatabaseUse {
  bytes: number
  /** Connections to all databases of the server. `most`: maximum number for roles without special rights. */
  connections: number
  most: number
}

export async function loadOwnDatabaseUse(): Promise<DatabaseUse> {
  const { rows } = await db.rawQuery<{ rows: DatabaseUse[] }>(
    `select pg_database_size(current_database()) as bytes,
       (select sum(numbackends)::int from pg_stat_database) as connections,
       current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int as most`
  )
  return rows[0]
}

/** In seconds. 0 if no operation is due. */
async function findOldestDue(): Promise<number> {
  const { rows } = await db.rawQuery<{ rows: { waited: number }[] }>(
    `select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as waited
     from operations where status = 'queued' and due_at <= now()`
  )
  return Math.max(0, rows[0].waited)
}

export async function deleteOldMeasurementsAndAlerts(): Promise<void> {
  await db.rawQuery(`delete from monitoring_minutes where at < now() - make_interval(days => ?)`, [
    MINUTE_FIGURES_DAYS,
  ])
  await db.rawQuery(
    `delete from alerts where status = 'resolved' and ended_at < now() - make_interval(days => ?)`,
    [ALERT_RETENTION_DAYS]
  )
  await db.rawQuery(`delete from alert_silences where until < now()`)
  await db.rawQuery(`delete from processes where seen_at < now() - make_interval(days => ?)`, [
    MINUTE_FIGURES_DAYS,
  ])
}
