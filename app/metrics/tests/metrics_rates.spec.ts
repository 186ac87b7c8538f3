import { type UsageCounters, computeUsageRates, sumRates } from '#metrics/usage_rates'
import { test } from '@japa/runner'

function reading(seconds: number, change: Partial<UsageCounters> = {}): UsageCounters {
  return {
    at: seconds * 1_000,
    cpu: 100,
    diskRead: 1_000,
    diskWritten: 2_000,
    networkIn: 3_000,
    networkOut: 4_000,
    ...change,
  }
}

test.group('Metrics: rates from counters', () => {
  test('differences of counters become rates per second', ({ assert }) => {
    const before = reading(0)
    const now = reading(60, { cpu: 130, diskRead: 7_000, networkOut: 64_000 })
    assert.deepEqual(computeUsageRates(before, now), {
      cpu: 0.5,
      diskRead: 100,
      diskWritten: 0,
      networkIn: 0,
      networkOut: 1_000,
    })
  })

  test('after a restart of the instance, counters begin at zero and rates are never negative', ({
    assert,
  }) => {
    const rates = computeUsageRates(reading(0), reading(60, { cpu: 6, networkIn: 600 }))
    assert.equal(rates?.cpu, 0.1)
    assert.equal(rates?.networkIn, 10)
  })

  test('rates are null without a recent earlier reading', ({ assert }) => {
    assert.isNull(computeUsageRates(undefined, reading(60)))
    assert.isNull(computeUsageRates(reading(60), reading(60)))
    assert.isNull(computeUsageRates(reading(60), reading(0)))
    assert.isNull(computeUsageRates(reading(0), reading(600)))
  })

  test('a host’s rates are the sum of its instances’ rates', ({ assert }) => {
    const one = { cpu: 0.5, diskRead: 1, diskWritten: 2, networkIn: 3, networkOut: 4 }
    assert.equal(sumRates([one, null, one])?.cpu, 1)
    assert.equal(sumRates([])?.cpu, 0)
    assert.isNull(sumRates([null]))
  })
})
