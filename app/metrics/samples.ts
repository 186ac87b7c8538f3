import type { Rates } from '#metrics/usage_rates'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

export type MetricsSubject = 'instance' | 'host'

/** One minute of one instance or host; null is what could not be told. */
export interface Sample {
  subject: MetricsSubject
  subjectId: number
  rates: Rates | null
  /** Of a host: processes that run or wait, on average over a minute. */
  load: number | null
  /** Bytes. */
  memoryUsed: number | null
  memoryTotal: number | null
  diskUsed: number | null
  diskTotal: number | null
}

/** Seconds that a row stands for, and for how many hours it is kept (issue "metrics for real"). */
export const rollUpSteps = [
  { seconds: 60, hours: 24 },
  { seconds: 300, hours: 7 * 24 },
  { seconds: 3600, hours: 90 * 24 },
] as const

/** The columns that hold measurements. */
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
 * Keeps the samples of one minute (at most one of each subject) and renews the coarser rows that they
 * belong to, all or nothing: those of five minutes each time, those of an hour once in five minutes.
 * Keeping the same minute again replaces it.
 */
export async function saveSamples(minute: DateTime, samples: Sample[]): Promise<void> {
  if (samples.length === 0) return
  const at = minute.toUTC().startOf('minute')
  await createDayTables(at)
  await db.transaction(async (trx) => {
    await insert(trx, at, samples)
    await rollUp(trx, at, 60, 300)
    if (at.minute % 5 === 4) await rollUp(trx, at, 300, 3_600)
  })
}

/** Renews the rows of the hour that a time is in from those of five minutes. */
export async function rollUpHour(at: DateTime): Promise<void> {
  await createDayTables(at.toUTC())
  await db.transaction((trx) => rollUp(trx, at, 300, 3_600))
}

/** Days that this process has made, or found. */
const createdDays = new Set<string>()

/** Makes the tables of a day (UTC), which is done ahead; again changes nothing. */
export async function createDayTables(at: DateTime): Promise<void> {
  const day = at.toUTC().toISODate()!
  if (createdDays.has(day)) return
  await db.rawQuery('select make_metric_day(?::date)', [day])
  createdDays.add(day)
}

/** Takes away the days of which nothing is kept any more. */
export async function deleteOldSamples(now: DateTime): Promise<void> {
  for (const { seconds, hours } of rollUpSteps) {
    const before = now.toUTC().minus({ hours }).toISODate()!
    await db.rawQuery('select drop_metric_days(?, ?::date)', [seconds, before])
  }
  createdDays.clear()
}

/** Column by column: one statement, however many there are. */
async function insert(trx: TransactionClientContract, at: DateTime, samples: Sample[]) {
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

/** Averages, each weighed by the minutes behind it; what is not known does not count as zero. */
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

/** As PostgreSQL writes arrays; the driver's own cannot have gaps. */
function arrayOf(values: (number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

function valuesOf(sample: Sample): Record<MetricColumn, number | null> {
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
