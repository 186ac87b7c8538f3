import type { Rates } from '#metrics/rates'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

export type Subject = 'instance' | 'host'

/** One minute of one instance or host; null is what could not be told. */
export interface Sample {
  subject: Subject
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
export const steps = [
  { seconds: 60, hours: 24 },
  { seconds: 300, hours: 7 * 24 },
  { seconds: 3600, hours: 90 * 24 },
] as const

/** The columns that hold measurements. */
export const measures = [
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

export type Measure = (typeof measures)[number]

/** A statement carries at most 65,535 values. */
const ROWS_AT_ONCE = 2_000

/**
 * Keeps the samples of one minute (at most one of each subject) and renews the coarser rows that they belong to, all or nothing.
 * Keeping the same minute again replaces it.
 */
export async function keepSamples(minute: DateTime, samples: Sample[]): Promise<void> {
  if (samples.length === 0) return
  const at = minute.toUTC().startOf('minute')
  await db.transaction(async (trx) => {
    for (let done = 0; done < samples.length; done += ROWS_AT_ONCE) {
      await trx
        .knexQuery()
        .table('metric_samples')
        .insert(samples.slice(done, done + ROWS_AT_ONCE).map((sample) => row(sample, at)))
        .onConflict(['subject', 'subject_id', 'step', 'at'])
        .merge()
    }
    await rollUp(trx, at, 60, 300)
    await rollUp(trx, at, 300, 3600)
  })
}

/** Deletes what is older than its step is kept. */
export async function forgetOldSamples(now: DateTime): Promise<void> {
  for (const { seconds, hours } of steps) {
    await db
      .from('metric_samples')
      .where('step', seconds)
      .where('at', '<', now.toUTC().minus({ hours }).toISO()!)
      .delete()
  }
}

/** Averages, each weighed by the minutes behind it; what is not known does not count as zero. */
async function rollUp(trx: TransactionClientContract, at: DateTime, from: number, to: number) {
  const start = Math.floor(at.toSeconds() / to) * to
  const averages = measures.map(
    (name) =>
      `sum(${name} * samples) / nullif(sum(samples) filter (where ${name} is not null), 0) as ${name}`
  )
  await trx.rawQuery(
    `insert into metric_samples (subject, subject_id, step, at, samples, ${measures.join(', ')})
     select subject, subject_id, ?, to_timestamp(?), sum(samples), ${averages.join(', ')}
       from metric_samples
      where step = ? and at >= to_timestamp(?) and at < to_timestamp(?)
      group by subject, subject_id
     on conflict (subject, subject_id, step, at) do update set samples = excluded.samples,
       ${measures.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [to, start, from, start, start + to]
  )
}

function row(sample: Sample, at: DateTime) {
  return {
    subject: sample.subject,
    subject_id: sample.subjectId,
    step: 60,
    at: at.toISO(),
    samples: 1,
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
  } satisfies Record<Measure, number | null> & Record<string, unknown>
}
