import type { BillingPeriod } from '#catalog/models/server_package'
import { nextRenewal } from '#catalog/next_renewal'
import { billingTimeZone } from '#core/settings/regional_settings'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const at = (text: string) => DateTime.fromISO(text, { zone: billingTimeZone() })

function days(anchor: string, period: BillingPeriod, count: number): string[] {
  const found: DateTime[] = []
  for (let last: DateTime = at(anchor); found.length < count; last = found.at(-1)!) {
    found.push(nextRenewal(at(anchor), period, last))
  }
  return found.map((one) => one.setZone(billingTimeZone()).toISODate()!)
}

test.group('Renewals', () => {
  test('fall on the same day of the month, or on the last day of a shorter month', ({ assert }) => {
    assert.deepEqual(days('2027-01-31T10:00', 'month', 4), [
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
    ])
    assert.deepEqual(days('2028-01-30T10:00', 'month', 2), ['2028-02-29', '2028-03-30'])
  })

  test('yearly renewals that began on 29 February are on that day again in leap years', ({
    assert,
  }) => {
    assert.deepEqual(days('2028-02-29T10:00', 'year', 4), [
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ])
  })

  test('are computed in the business time zone, with the exact time of day', ({ assert }) => {
    // 20:30 UTC on the 30th is the 31st in Dhaka.
    const anchor = DateTime.fromISO('2027-01-30T20:30:00.123Z')
    const first = nextRenewal(anchor, 'month', anchor)
    assert.equal(first.toUTC().toISO(), '2027-02-27T20:30:00.123Z')
    assert.equal(first.setZone(billingTimeZone()).toISODate(), '2027-02-28')
  })

  test('are always later than the given time, also exactly at a renewal and years later', ({
    assert,
  }) => {
    const anchor = at('2024-01-31T00:00')
    const next = (text: string) => nextRenewal(anchor, 'month', at(text)).toISODate()
    assert.equal(next('2024-02-29T00:00'), '2024-03-31')
    assert.equal(next('2024-02-28T23:59:59.999'), '2024-02-29')
    assert.equal(next('2031-02-28T12:00'), '2031-03-31')
    assert.equal(next('2031-03-30T12:00'), '2031-03-31')
    assert.equal(nextRenewal(anchor, 'year', at('2024-01-31T00:00')).toISODate(), '2025-01-31')
  })
})
