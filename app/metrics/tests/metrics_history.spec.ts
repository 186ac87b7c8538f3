import { loadMetricsHistory, parseChartRange } from '#metrics/history'
import { maintainDayTables } from '#metrics/schedules/maintain_day_tables'
import { deleteOldSamples, saveSamples, rollUpHour, type MetricsSample } from '#metrics/samples'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomInt } from 'node:crypto'

const MiB = 1024 ** 2

function sample(subjectId: number, cpu: number | null, memoryUsed: number | null): MetricsSample {
  const rates = { diskRead: 0, diskWritten: 0, networkIn: 10, networkOut: 20 }
  return {
    subject: 'instance',
    subjectId,
    rates: cpu === null ? null : { cpu, ...rates },
    load: null,
    memoryUsed,
    memoryTotal: 512 * MiB,
    diskUsed: null,
    diskTotal: null,
  }
}

/** Returns a random id far above all real ones. */
const someId = () => randomInt(10 ** 9, 10 ** 12)

test.group('Metrics: samples and history', () => {
  test('minutes are averaged into 5 minutes and hours, and unknown minutes do not count as zero', async ({
    assert,
  }) => {
    const id = someId()
    const hour = DateTime.utc().startOf('hour')
    await saveSamples(hour, [sample(id, null, 100 * MiB)])
    await saveSamples(hour.plus({ minutes: 1 }), [sample(id, 0.2, 200 * MiB)])
    await saveSamples(hour.plus({ minutes: 2 }), [sample(id, 0.4, 300 * MiB)])
    await saveSamples(hour.plus({ minutes: 7 }), [sample(id, 0.9, 100 * MiB)])
    await rollUpHour(hour)

    const rows = await db.from('metric_samples').where('subject_id', id).orderBy(['step', 'at'])
    const five = rows.filter(({ step }) => step === 300)
    assert.lengthOf(rows, 4 + 2 + 1)
    assert.closeTo(five[0].cpu, 0.3, 1e-9)
    assert.equal(five[0].memory_used, 200 * MiB)
    assert.equal(five[0].samples, 3)
    const [whole] = rows.filter(({ step }) => step === 3_600)
    assert.equal(whole.samples, 4)
    assert.closeTo(whole.memory_used, 175 * MiB, 1)
    assert.isNull(whole.disk_used)
  })

  test('saving the same minute again replaces it', async ({ assert }) => {
    const id = someId()
    const minute = DateTime.utc().startOf('hour').plus({ minutes: 3 })
    await saveSamples(minute, [sample(id, 0.1, 1)])
    await saveSamples(minute, [sample(id, 0.8, 2)])
    const rows = await db.from('metric_samples').where('subject_id', id)
    assert.lengthOf(rows, 2)
    for (const { cpu, samples } of rows) {
      assert.equal(cpu, 0.8)
      assert.equal(samples, 1)
    }
  })

  test('a chart has null where nothing was measured, and each point at its time', async ({
    assert,
  }) => {
    const id = someId()
    const now = DateTime.utc().startOf('minute')
    await saveSamples(now.minus({ minutes: 10 }), [sample(id, 0.25, 5)])
    await saveSamples(now.minus({ minutes: 4 }), [sample(id, 0.5, 6)])
    const { from, point, count, series } = await loadMetricsHistory('instance', id, '1h', now)
    assert.equal(count, 60)
    assert.equal(from + point * (count - 1), now.toSeconds())
    assert.equal(series.cpu[49], 0.25)
    assert.equal(series.cpu[55], 0.5)
    assert.lengthOf(
      series.cpu.filter((value) => value !== null),
      2
    )
    assert.isTrue(series.load.every((value) => value === null))
  })

  test('the ranges 7d and 90d read coarser rows', async ({ assert }) => {
    const id = someId()
    const now = DateTime.utc()
    const then = now.minus({ days: 2 }).startOf('hour')
    await saveSamples(then, [sample(id, 0.2, 5)])
    await saveSamples(then.plus({ minutes: 6 }), [sample(id, 0.4, 5)])
    await rollUpHour(then)
    for (const range of ['7d', '90d'] as const) {
      const { series } = await loadMetricsHistory('instance', id, range, now)
      assert.deepEqual(
        series.cpu.filter((value) => value !== null),
        [0.3]
      )
    }
    assert.equal(parseChartRange('90d'), '90d')
    assert.equal(parseChartRange('constructor'), '1h')
  })

  test('each resolution is deleted after its own retention time', async ({ assert }) => {
    const id = someId()
    const now = DateTime.utc()
    for (const days of [0, 2, 30, 100]) {
      await saveSamples(now.minus({ days }), [sample(id, 0.2, 5)])
      await rollUpHour(now.minus({ days }))
    }
    await deleteOldSamples(now)
    const rows = await db.from('metric_samples').where('subject_id', id)
    const count = (seconds: number) => rows.filter(({ step }) => step === seconds).length
    assert.deepEqual([count(60), count(300), count(3_600)], [1, 2, 3])
  })

  test('a new minute updates the average of its hour', async ({ assert }) => {
    const id = someId()
    const hour = DateTime.utc().startOf('hour')
    const whole = async () =>
      (await db.from('metric_samples').where({ subject_id: id, step: 3_600 }))[0]?.samples ?? 0
    await saveSamples(hour.plus({ minutes: 3 }), [sample(id, 0.2, 5)])
    assert.equal(await whole(), 0)
    await saveSamples(hour.plus({ minutes: 4 }), [sample(id, 0.4, 5)])
    assert.equal(await whole(), 2)
  })

  test('day tables are created in advance, and dropped after the retention time', async ({
    assert,
  }) => {
    const id = someId()
    const now = DateTime.utc()
    await saveSamples(now.minus({ days: 20 }), [sample(id, 0.2, 5)])
    await saveSamples(now, [sample(id, 0.2, 5)])
    await maintainDayTables(now)
    const { rows } = await db.rawQuery(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'metric_samples_60'::regclass`
    )
    const names = rows.map(({ name }: { name: string }) => name)
    const nameOf = (days: number) =>
      `metric_samples_60_${now.plus({ days }).toISODate().replaceAll('-', '')}`
    for (const days of [0, 1, 2, 3]) assert.include(names, nameOf(days))
    assert.notInclude(names, nameOf(-20))
    // Several concurrent runs must have the same result as one.
    await Promise.all([maintainDayTables(now), maintainDayTables(now), maintainDayTables(now)])
    await saveSamples(now.minus({ days: 20 }), [sample(id, 0.2, 5)])
  })
})
