import { countWithNoun } from '#packages/text/count_with_noun'
import {
  alertRuleErrors,
  type AlertRule,
  type Severity,
  type DetectedProblem,
} from '#core/monitoring/alerts'
import type { Gauge } from '#core/monitoring/gauges'
import { loadOwnDatabaseUse } from '#core/monitoring/measurements'
import { allSchedules } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'

/** A role is lost if none of its processes has reported for this time. */
const ROLE_LOST_SECONDS = 45
const WARNING_USAGE_RATIO = 0.9
const CRITICAL_USAGE_RATIO = 0.96
const MAX_FAILED_RUNS = 3
const MAX_QUEUE_WAIT_SECONDS = 900
const MAX_MAIL_WAIT_SECONDS = 1_800

/** Returns `null` if the ratio needs no alert. */
export function severityOfUsageRatio(share: number): Severity | null {
  if (share < WARNING_USAGE_RATIO) return null
  return share >= CRITICAL_USAGE_RATIO ? 'critical' : 'warning'
}

const percent = (share: number) => `${Math.floor(share * 100)} %`
export const formatMegabytesOrGigabytes = (bytes: number) =>
  bytes < 1024 ** 3 ? `${Math.round(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`
const minutes = (seconds: number) => countWithNoun(Math.round(seconds / 60), 'minute')

async function queryRows<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await db.rawQuery<{ rows: Row[] }>(sql, values as never)
  return rows
}

const processAlert: AlertRule = {
  name: 'core.process',
  label: 'Process missing',
  runbook: 'lost_process',
  after: 30,
  async findProblems() {
    const rows = await queryRows<{ role: string; machine: string; id: string; away: boolean }>(
      `select p.role, coalesce(m.name, 'a machine') as machine, p.machine_id as id,
         max(p.seen_at) < now() - make_interval(secs => ?) as away
       from processes p left join machines m on m.id = p.machine_id
       group by p.role, m.name, p.machine_id
       having max(p.seen_at) < now() - make_interval(secs => ?) or not bool_or(p.ready)`,
      [ROLE_LOST_SECONDS, ROLE_LOST_SECONDS]
    )
    return rows.map(({ role, machine, id, away }) => ({
      key: `${role}@${id}`,
      severity: 'critical',
      words: away
        ? `No ${role} process responds on ${machine}.`
        : `The ${role} process on ${machine} is running but not ready.`,
    }))
  },
}

const diskAlert: AlertRule = {
  name: 'core.disk',
  label: 'Disk nearly full',
  runbook: 'full_disk',
  after: 60,
  async findProblems() {
    const rows = await queryRows<{ id: string; machine: string; used: number; total: number }>(
      `select distinct on (machine_id) machine_id as id, coalesce(m.name, 'a machine') as machine,
         disk_used as used, disk_total as total
       from monitoring_minutes left join machines m on m.id = machine_id
       where at > now() - interval '10 minutes' order by machine_id, at desc`
    )
    return rows.flatMap(({ id, machine, used, total }): DetectedProblem[] => {
      const severity = severityOfUsageRatio(used / total)
      if (!severity) return []
      const left = formatMegabytesOrGigabytes(total - used)
      const message = `The disk with Berth’s data on ${machine} is ${percent(used / total)} full. ${left} are free.`
      return [{ key: id, severity, words: message }]
    })
  },
}

const connectionsAlert: AlertRule = {
  name: 'core.connections',
  label: 'Database nearly out of connections',
  runbook: 'database_connections',
  after: 60,
  async findProblems() {
    const { connections: used, most } = await loadOwnDatabaseUse()
    const severity = severityOfUsageRatio(used / most)
    if (!severity) return []
    return [
      { key: 'database', severity, words: `${used} of ${most} database connections are in use.` },
    ]
  },
}

const stuckWorkAlert: AlertRule = {
  name: 'core.stuck',
  label: 'Stuck operation',
  runbook: 'stuck_work',
  async findProblems() {
    const rows = await queryRows<{ id: string; title: string; trouble: string | null }>(
      `select id, title, trouble from operations where status = 'stuck' order by created_at limit 50`
    )
    return rows.map(({ id, title, trouble }) => ({
      key: id,
      severity: 'critical',
      words: `${title}: ${trouble ?? 'the operation failed repeatedly.'}`,
      href: '/admin/system?tab=work&status=stuck',
    }))
  },
}

const waitingWorkAlert: AlertRule = {
  name: 'core.waiting',
  label: 'Operations waiting',
  runbook: 'stuck_work',
  after: 60,
  async findProblems() {
    const rows = await queryRows<{ lane: string; waiting: number; waited: number }>(
      `select lane, count(*)::int as waiting, extract(epoch from now() - min(due_at))::float8 as waited
       from operations where status = 'queued' and due_at <= now() group by lane
       having min(due_at) < now() - make_interval(secs => ?)`,
      [MAX_QUEUE_WAIT_SECONDS]
    )
    return rows.map(({ lane, waiting: count, waited }) => ({
      key: lane,
      severity: 'critical',
      words: `${count} operations wait in the queue ${lane}, the oldest for ${minutes(waited)}.`,
      href: '/admin/system?tab=work&status=queued',
    }))
  },
}

interface FailingRow {
  name: string
  machine_id: string | null
  error: string | null
  failures: number
}

const failingScheduleAlert: AlertRule = {
  name: 'core.schedule',
  label: 'Scheduled job fails',
  runbook: 'failing_schedule',
  async findProblems() {
    const known = new Map(allSchedules().map((one) => [one.name, one]))
    const rows = await queryRows<FailingRow>(
      `select name, machine_id, error, failures from schedules where failures >= ? order by name`,
      [MAX_FAILED_RUNS]
    )
    return rows.flatMap(({ name, machine_id: machine, error, failures }): DetectedProblem[] => {
      const one = known.get(name)
      if (!one) return []
      const message = `“${one.label}” failed ${failures} times in a row: ${error ?? 'unknown reason'}`
      const href = '/admin/system?tab=schedules&status=failed'
      return [
        { key: machine ? `${name}@${machine}` : name, severity: 'warning', words: message, href },
      ]
    })
  },
}

const outboxAlert: AlertRule = {
  name: 'core.outbox',
  label: 'Console emails waiting',
  runbook: 'blocked_mail',
  async findProblems() {
    const [{ waiting: count, waited }] = await outboxUse()
    if (waited < MAX_MAIL_WAIT_SECONDS) return []
    const message = `${count} console emails wait for the mail service, the oldest for ${minutes(waited)}.`
    return [{ key: 'outbox', severity: 'critical', words: message }]
  },
}

/**
 * Counts emails that wait for their first attempt or a retry. After an attempt without a configured mail service or
 * SMTP server, an email waits no longer.
 */
function outboxUse() {
  return queryRows<{ waiting: number; waited: number }>(
    `select count(*)::int as waiting,
       coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as waited
     from outbox_mails where due_at is not null`
  )
}

const blindAlert: AlertRule = {
  name: 'core.blind',
  label: 'Alert check failed',
  runbook: 'failing_schedule',
  after: 120,
  async findProblems() {
    return [...alertRuleErrors()].map(([name, why]) => ({
      key: name,
      severity: 'warning' as const,
      words: `The check “${name}” could not run: ${why}`,
    }))
  },
}

export const alerts = [
  processAlert,
  diskAlert,
  connectionsAlert,
  stuckWorkAlert,
  waitingWorkAlert,
  failingScheduleAlert,
  outboxAlert,
  blindAlert,
]

export const gauges: Gauge[] = [
  {
    name: 'berth_operations',
    help: 'Unfinished operations, by queue and status',
    read: () =>
      queryGaugeReadings(
        `select lane, status, count(*)::int as value from operations
         where status in ('queued', 'running', 'stuck') group by lane, status`
      ),
  },
  {
    name: 'berth_operations_oldest_due_seconds',
    help: 'Waiting time of the oldest operation that is ready to run, by queue',
    read: () =>
      queryGaugeReadings(
        `select lane, extract(epoch from now() - min(due_at))::float8 as value from operations
         where status = 'queued' and due_at <= now() group by lane`
      ),
  },
  {
    name: 'berth_schedule_last_run_timestamp_seconds',
    help: 'Start of the last run of each schedule',
    read: () =>
      queryGaugeReadings(
        `select name as schedule, extract(epoch from max(started_at))::float8 as value
         from schedules group by name`
      ),
  },
  {
    name: 'berth_schedule_failures',
    help: 'Number of consecutive failed runs',
    read: () =>
      queryGaugeReadings(
        `select name as schedule, max(failures) as value from schedules group by name`
      ),
  },
  {
    name: 'berth_schedule_duration_seconds',
    help: 'Duration of the last run',
    read: () =>
      queryGaugeReadings(
        `select name as schedule, (max(took_ms) / 1000.0)::float8 as value from schedules
         where took_ms is not null group by name`
      ),
  },
  {
    name: 'berth_outbox_waiting',
    help: 'Emails of the console that wait for the mail service',
    read: async () => [{ value: (await outboxUse())[0].waiting }],
  },
  {
    name: 'berth_outbox_oldest_waiting_seconds',
    help: 'Waiting time of the oldest console email',
    read: async () => [{ value: (await outboxUse())[0].waited }],
  },
  {
    name: 'berth_database_bytes',
    help: 'Size of the database',
    read: async () => [{ value: (await loadOwnDatabaseUse()).bytes }],
  },
  {
    name: 'berth_database_connections',
    help: 'Connections to the database server',
    read: async () => [{ value: (await loadOwnDatabaseUse()).connections }],
  },
  {
    name: 'berth_database_connections_max',
    help: 'Maximum number of connections to the database server',
    read: async () => [{ value: (await loadOwnDatabaseUse()).most }],
  },
  {
    name: 'berth_home_disk_used_bytes',
    help: 'Used bytes of the file system that holds Berth, by machine',
    read: () => latestReadingSql('disk_used'),
  },
  {
    name: 'berth_home_disk_bytes',
    help: 'Size of the file system that holds Berth, by machine',
    read: () => latestReadingSql('disk_total'),
  },
  {
    name: 'berth_alerts',
    help: 'Unresolved alerts, by name, severity and status',
    read: () =>
      queryGaugeReadings(
        `select name as alert, severity, status, count(*)::int as value from alerts
         where status <> 'resolved' group by name, severity, status`
      ),
  },
]

function latestReadingSql(column: 'disk_used' | 'disk_total') {
  return queryGaugeReadings(
    `select distinct on (machine_id) machine_id::text as machine, ${column} as value
     from monitoring_minutes where at > now() - interval '10 minutes' order by machine_id, at desc`
  )
}

/** Runs a query for a gauge. The column `value` is the measured number, all other columns are labels. */
export async function queryGaugeReadings(sql: string) {
  const rows = await queryRows<{ value: number } & Record<string, unknown>>(sql)
  return rows.map(({ value, ...labels }) => ({
    value: Number(value),
    labels: Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, String(text)])),
  }))
}
