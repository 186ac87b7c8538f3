import { type MetricColumn, metricColumns, type MetricsSubject } from '#metrics/samples'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/**
 * For each chart, in seconds: the length of its range, the resolution of the stored rows, and the
 * interval of its points.
 */
export const chartRanges = {
  '1h': { seconds: 3_600, step: 60, point: 60 },
  '24h': { seconds: 86_400, step: 300, point: 300 },
  '7d': { seconds: 7 * 86_400, step: 300, point: 1_800 },
  '90d': { seconds: 90 * 86_400, step: 3_600, point: 21_600 },
} as const

export type ChartRange = keyof typeof chartRanges

/**
 * Values at regular intervals, oldest first; null where nothing was measured. Point `i` begins at
 * `from + i * point` (seconds since 1970). `cpu` is in CPUs, `load` is a load average, memory and
 * disk are in bytes, the others in bytes per second.
 */
export interface MetricsHistory {
  range: ChartRange
  from: number
  point: number
  count: number
  series: Record<MetricColumn, (number | null)[]>
}

export function parseChartRange(text: unknown): ChartRange {
  return typeof text === 'string' && Object.hasOwn(chartRanges, text) ? (text as ChartRange) : '1h'
}

export async function loadMetricsHistory(
  subject: MetricsSubject,
  subjectId: number,
  range: ChartRange,
  now = DateTime.utc()
): Promise<MetricsHistory> {
  const { seconds, step, point } = chartRanges[range]
  const count = seconds / point
  const last = Math.floor(now.toSeconds() / point) * point
  const from = last - (count - 1) * point
  const { rows } = await db.rawQuery<{ rows: Record<string, number | null>[] }>(
    `select floor((extract(epoch from at) - ?) / ?)::int as index,
            ${metricColumns.map((name) => `sum(${name} * samples) / nullif(sum(samples) filter (where ${name} is not null), 0) as ${name}`).join(', ')}
       from metric_samples
      where subject = ? and subject_id = ? and step = ?
        and at >= to_timestamp(?) and at < to_timestamp(?)
      group by 1`,
    [from, point, subject, subjectId, step, from, last + point]
  )
  const series = Object.fromEntries(
    metricColumns.map((name) => [name, new Array<number | null>(count).fill(null)])
  ) as Record<MetricColumn, (number | null)[]>
  for (const row of rows) {
    for (const name of metricColumns) series[name][row.index!] = rounded(row[name], name)
  }
  return { range, from, point, count, series }
}

function rounded(value: number | null | undefined, name: MetricColumn): number | null {
  if (value === null || value === undefined) return null
  return name === 'cpu' || name === 'load' ? Math.round(value * 10_000) / 10_000 : Math.round(value)
}
