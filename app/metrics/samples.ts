import type { UsageRates } from '#metrics/usage_rates'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

export type MetricsSubject = 'instance' | 'host'

/** Measurements of one instance or host in one minute. Unknown values are null. */
export interface MetricsSample {
  subject: MetricsSubject
  subjectId: number
  rates: UsageRates | null
  /** Load average of a host over one minute. */
  load: number | null
  /** Bytes, as in the next three fields. */
  memoryUsed: number | null
  memoryTotal: number | null
  diskUsed: number | null
  diskTotal: number | null
}

/**
 * Resolutions of the stored averages in seconds, and the minimum number of hours for which each is
 * kept.
 */
export const rollUpSteps = [
  { seconds: 60, hours: 24 },
  { seconds: 300, hours: 7 * 24 },
  { seconds: 3600, hours: 90 * 24 },
] as const

export const metricColumns = [
  'cpu',
  'load',
  'memory_used',
  'memory_total',
  'disk_used',
  'disk_total',
  'disk_read',
  'disk_written',
  'network_in',
  'network_out',
] as const

export type MetricColumn = (typeof metricColumns)[number]

/**
 * Saves the samples of a minute, all or none. Updates the 5-minute average every minute, and the
 * hourly one every 5 minutes. A second call for the same minute replaces the samples of the same
 * instances and hosts.
 * @param samples at most one per instance or host
 */
export async function saveSamples(minute: DateTime, samples: MetricsSample[]): Promise<void> {
  if (samples.length === 0) return
  const at = minute.toUTC().startOf('minute')
  await createDayTables(at)
  await db.transaction(async (trx) => {
    await insert(trx, at, samples)
    await rollUp(trx, at, 60, 300)
    if (at.minute % 5 === 4) await rollUp(trx, at, 300, 3_600)
  })
}

export async function rollUpHour(at: DateTime): Promise<void> {
  await createDayTables(at.toUTC())
  await db.transaction((trx) => rollUp(trx, at, 300, 3_600))
}

const createdDays = new Set<string>()

/** The day is in UTC. */
export async function createDayTables(at: DateTime): Promise<void> {
  const day = at.toUTC().toISODate()!
  if (createdDays.has(day)) return
  await db.rawQuery('select make_metric_day(?::date)', [day])
  createdDays.add(day)
}

export async function deleteOldSamples(now: DateTime): Promise<void> {
  for (const { seconds, hours } of rollUpSteps) {
    const before = now.toUTC().minus({ hours }).toISODate()!
    await db.rawQuery('select drop_metric_days(?, ?::date)', [seconds, before])
  }
  createdDays.clear()
}

async function insert(trx: TransactionClientContract, at: DateTime, samples: MetricsSample[]) {
  const rows = samples.map(valuesOf)
  await trx.rawQuery(
    `insert into metric_samples (subject, subject_id, step, at, samples, ${metricColumns.join(', ')})
     select subject, subject_id, 60, ?::timestamptz, 1, ${metricColumns.join(', ')}
       from unnest(?::text[], ?::bigint[], ${metricColumns.map(() => '?::float8[]').join(', ')})
         as told (subject, subject_id, ${metricColumns.join(', ')})
     on conflict (subject, subject_id, step, at) do update set samples = excluded.samples,
       ${metricColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [
      at.toISO()!,
      samples.map(({ subject }) => subject),
      samples.map(({ subjectId }) => subjectId),
      ...metricColumns.map((name) => arrayOf(rows.map((row) => row[name]))),
    ]
  )
}

/**
 * Computes averages from finer ones, weighted by the minutes that each represents. Unknown values
 * do not count as zero.
 */
async function rollUp(trx: TransactionClientContract, at: DateTime, from: number, to: number) {
  const start = Math.floor(at.toSeconds() / to) * to
  const averages = metricColumns.map(
    (name) =>
      `sum(${name} * samples) / nullif(sum(samples) filter (where ${name} is not null), 0) as ${name}`
  )
  await trx.rawQuery(
    `insert into metric_samples (subject, subject_id, step, at, samples, ${metricColumns.join(', ')})
     select subject, subject_id, ?, to_timestamp(?), sum(samples), ${averages.join(', ')}
       from metric_samples
      where step = ? and at >= to_timestamp(?) and at < to_timestamp(?)
      group by subject, subject_id
     on conflict (subject, subject_id, step, at) do update set samples = excluded.samples,
       ${metricColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [to, start, from, start, start + to]
  )
}

/** Formats a PostgreSQL array literal, with `NULL` for null. */
function arrayOf(values: (number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

function valuesOf(sample: MetricsSample): Record<MetricColumn, number | null> {
  return {
    cpu: sample.rates?.cpu ?? null,
    load: sample.load,
    memory_used: sample.memoryUsed,
    memory_total: sample.memoryTotal,
    disk_used: sample.diskUsed,
    disk_total: sample.diskTotal,
    disk_read: sample.rates?.diskRead ?? null,
    disk_written: sample.rates?.diskWritten ?? null,
    network_in: sample.rates?.networkIn ?? null,
    network_out: sample.rates?.networkOut ?? null,
  }
}
