import { describe, expect, test } from 'vitest'
import { diskWarningText } from './disk_warning'
import { nearestIndex, linePath } from './chart_geometry'
import {
  latestValue,
  timeRangeUrl,
  timeRangeFromUrl,
  trimUnknownStart,
  type MetricsHistory,
} from './metrics_history'
import { timeTicks } from './time_axis'
import { formatBytes, formatBytesPerSecond, formatPercent, roundUpAxisMax } from './format_units'

describe('Numbers in charts', () => {
  test('have at most three digits, and a unit', () => {
    expect([0, 900, 1023, 1024, 1536, 905 * 1024 ** 2, 2 * 1024 ** 3].map(formatBytes)).toEqual([
      '0 B',
      '900 B',
      '1023 B',
      '1 KB',
      '1.5 KB',
      '905 MB',
      '2 GB',
    ])
    expect(formatBytesPerSecond(202 * 1024)).toBe('202 KB/s')
    expect([0, 0.42, 8.46, 34.2, 320].map(formatPercent)).toEqual([
      '0 %',
      '0.4 %',
      '8.5 %',
      '34 %',
      '320 %',
    ])
  })

  test('the maximum of an axis is a round number', () => {
    expect([0, 0.3, 11, 20, 21, 480].map((value) => roundUpAxisMax(value))).toEqual([
      1, 0.5, 20, 20, 50, 500,
    ])
    expect(roundUpAxisMax(3 * 1024, 1024)).toBe(5 * 1024)
    expect(roundUpAxisMax(900 * 1024, 1024)).toBe(1024 ** 2)
  })
})

describe('Disk warning', () => {
  const gigabyte = 1024 ** 3

  test('shows the used percentage, and only for a nearly full disk', () => {
    const disk = { used: 0.87 * gigabyte, total: gigabyte, nearly_full: true }
    expect(diskWarningText(disk)).toBe('Disk 87 % full')
    expect(diskWarningText({ ...disk, nearly_full: false })).toBeNull()
    expect(diskWarningText(null)).toBeNull()
  })
})

describe('Charts of a new instance', () => {
  const history = (known: number): MetricsHistory => ({
    range: '1h',
    from: 600,
    point: 60,
    count: 60,
    series: {
      cpu: Array.from({ length: 60 }, (_, at) => (at < 60 - known ? null : at)),
      load: new Array<null>(60).fill(null),
    },
  })

  test('start at the first measurement', () => {
    const { from, count, series } = trimUnknownStart(history(20))
    expect([from, count, series.cpu.length, series.load.length]).toEqual([
      600 + 40 * 60,
      20,
      20,
      20,
    ])
    expect([series.cpu[0], series.cpu.at(-1)]).toEqual([40, 59])
  })

  test('have at least ten points, and stay unchanged if all are known', () => {
    expect(trimUnknownStart(history(2)).count).toBe(10)
    expect(trimUnknownStart(history(60))).toEqual(history(60))
    expect(trimUnknownStart(history(0)).count).toBe(60)
  })
})

describe('Lines of charts', () => {
  const axis = { top: 100, count: 5 }

  test('are interrupted at missing values', () => {
    expect(linePath([0, 100, null, 50, 50], axis)).toBe('M0 1000L250 0M750 500L1000 500')
  })

  test('show a single point as a dash inside the chart', () => {
    expect(linePath([null, 250, null, null, null], axis)).toBe('M250 0h100')
    expect(linePath([null, null, null, null, 250], axis)).toBe('M1000 0h-100')
    expect(linePath([null, null], { top: 1, count: 2 })).toBe('')
  })

  test('the pointer selects the nearest point', () => {
    expect([-1, 0, 0.49, 0.51, 2].map((share) => nearestIndex(share, 3))).toEqual([0, 0, 1, 1, 2])
  })

  test('the current value is null if the last points are unknown', () => {
    expect(latestValue([1, 2, null])).toBe(2)
    expect(latestValue([2, null, null, null])).toBeNull()
  })
})

describe('Time range', () => {
  test('is a URL parameter next to the tab', () => {
    expect(timeRangeFromUrl('/server-instance/3?tab=metrics&range=7d')).toBe('7d')
    expect(timeRangeFromUrl('/server-instance/3?range=2y')).toBe('1h')
    expect(timeRangeUrl('/server-instance/3?tab=metrics', '24h')).toBe(
      '/server-instance/3?tab=metrics&range=24h'
    )
    expect(timeRangeUrl('/server-instance/3?range=24h', '1h')).toBe('/server-instance/3')
  })

  const history = (range: MetricsHistory['range'], point: number, count: number) => ({
    range,
    point,
    count,
    from: Date.parse('2026-11-21T18:00:00Z') / 1000 - point * count,
    series: {},
  })

  test('has ticks at round local times of the business time zone', () => {
    expect(timeTicks(history('24h', 300, 288), 'Asia/Dhaka').map(({ label }) => label)).toEqual([
      '6:00 AM',
      '12:00 PM',
      '6:00 PM',
    ])
    const days = timeTicks(history('7d', 1800, 336), 'Asia/Dhaka').map(({ label }) => label)
    expect(days).toEqual(['Nov 16', 'Nov 17', 'Nov 18', 'Nov 19', 'Nov 20', 'Nov 21'])
  })
})
