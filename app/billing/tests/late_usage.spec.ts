import { chargeLateUsage, chargeUsage } from '#billing/charging/create_charges'
import { recordUsage } from '#catalog/public'
import { sumAmounts } from '#core/money'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import Big from 'big.js'
import { DateTime } from 'luxon'
import { randomInt } from 'node:crypto'

const since = DateTime.fromISO('2025-01-01')

const linesOf = (accountId: number) =>
  db.from('bill_charges').where('account_id', accountId).orderBy('id')

test.group('Usage that is reported late', () => {
  test('is charged once, on a line that names its month', async ({ assert }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const tell = (quantity: string, day: string) =>
      recordUsage([
        {
          accountId: customer.id,
          meter: 'vault.bytes_out' as const,
          quantity,
          thing,
          source: `${thing}:${day}`,
          at: DateTime.fromISO(day, { zone: 'utc' }),
        },
      ])
    // 10 GB are free. 8 GB are reported in time, so nothing is charged. Of 5 GB reported late, 3 are
    // charged; of one more GB, all.
    await tell('8000000000', '2026-02-03')
    await chargeUsage('2026-02')
    assert.lengthOf(await linesOf(customer.id), 0)
    await tell('5000000000', '2026-02-04')
    for (let time = 0; time < 2; time++) await chargeLateUsage(since, '2026-04')
    await tell('1000000000', '2026-02-05')
    await Promise.all([chargeLateUsage(since, '2026-04'), chargeLateUsage(since, '2026-04')])
    const lines = await linesOf(customer.id)
    assert.deepEqual(
      lines.map((line) => [line.bill_type, line.billing_period, Number(line.quantity)]),
      [
        ['Bandwidth', '2026-02', 3],
        ['Bandwidth, reported late', '2026-02', 1],
      ]
    )
  })

  test('completes the usage of a day whose first report was incomplete, and is charged once', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const day = '2026-02-28'
    const report = (quantity: string) =>
      recordUsage([
        {
          accountId: customer.id,
          meter: 'vault.requests' as const,
          quantity,
          thing,
          source: `${thing}:${day}:requests`,
          at: DateTime.fromISO(day, { zone: 'utc' }),
        },
      ])
    await report('400000')
    await chargeUsage('2026-02')
    await Promise.all([report('700000'), report('700000')])
    for (const again of ['700000', '400000', '750000']) await report(again)
    for (let time = 0; time < 2; time++) await chargeLateUsage(since, '2026-04')
    const lines = await linesOf(customer.id)
    assert.deepEqual(
      lines.map((line) => [line.bill_type, Number(line.quantity)]),
      [
        ['Requests', 400_000],
        ['Requests, reported late', 350_000],
      ]
    )
  })

  test('is credited if the first report was too high, however often it is corrected', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const day = DateTime.fromISO('2026-02-27', { zone: 'utc' })
    const report = (quantity: string) =>
      recordUsage([
        {
          accountId: customer.id,
          meter: 'vault.requests' as const,
          quantity,
          thing,
          source: `${thing}:2026-02-27:requests`,
          at: day,
        },
      ])
    // These corrections arrive before the month is charged.
    for (const quantity of ['700000', '400000', '700000', '400000']) {
      await Promise.all([report(quantity), report(quantity)])
    }
    await chargeUsage('2026-02')
    for (const quantity of ['100000', '400000', '100000', '0', '300000']) {
      await Promise.all([report(quantity), report(quantity)])
      await Promise.all([chargeLateUsage(since, '2026-04'), chargeLateUsage(since, '2026-04')])
    }
    const lines = await linesOf(customer.id)
    assert.deepEqual(
      lines.map((line) => [line.bill_type, Number(line.quantity), Number(line.cost)]),
      [
        ['Requests', 400_000, 40],
        ['Requests, corrected', -300_000, -30],
        ['Requests, reported late', 300_000, 30],
        ['Requests, corrected', -300_000, -30],
        ['Requests, corrected', -100_000, -10],
        ['Requests, reported late', 300_000, 30],
      ]
    )
  })

  test('is credited at the price that was charged', async ({ assert }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const use = { accountId: customer.id, meter: 'vault.requests' as const, thing, source: thing }
    const at = DateTime.fromISO('2026-02-27', { zone: 'utc' })
    await recordUsage([{ ...use, quantity: '100', at }])
    await db.table('bill_charges').insert({
      account_id: customer.id,
      source: `usage:${thing}:vault.requests:2026-02`,
      type: 'vault',
      name: 'files',
      bill_type: 'Requests',
      billing_period: '2026-02',
      quantity: 100,
      unit_price: '0.05',
      cost: 5,
    })
    await recordUsage([{ ...use, quantity: '40', at }])
    await chargeLateUsage(since, '2026-04')
    assert.equal(Number((await linesOf(customer.id))[1].cost), -3)
  })

  test('is not charged if it is older than the first billed month', async ({ assert }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const meter = 'vault.requests' as const
    const use = { accountId: customer.id, meter, quantity: '500', thing }
    await recordUsage([{ ...use, source: thing, at: DateTime.fromISO('2026-02-03') }])
    await chargeLateUsage(DateTime.fromISO('2026-03-01'), '2026-04')
    assert.lengthOf(await linesOf(customer.id), 0)
  })

  test('is charged in the first billed month, without a credit for the days before billing started', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const tell = (quantity: string, day: string) =>
      recordUsage([
        {
          accountId: customer.id,
          meter: 'vault.requests' as const,
          quantity,
          thing,
          source: `${thing}:${day}`,
          at: DateTime.fromISO(day, { zone: 'utc' }),
        },
      ])
    await tell('500000', '2026-02-03')
    await tell('200000', '2026-02-20')
    await chargeUsage('2026-02')
    await tell('100000', '2026-02-21')
    const from = DateTime.fromISO('2026-02-15', { zone: 'utc' })
    for (let time = 0; time < 2; time++) await chargeLateUsage(from, '2026-04')
    const lines = await linesOf(customer.id)
    assert.deepEqual(
      lines.map((line) => [line.bill_type, Number(line.quantity)]),
      [
        ['Requests', 700_000],
        ['Requests, reported late', 100_000],
      ]
    )
  })

  test('costs the same in any order and any number of reports', async ({ assert }) => {
    for (let round = 0; round < 6; round++) {
      const customer = await makeCustomer()
      const thing = `vault:${randomInt(1e9)}`
      const months = ['2026-01', '2026-02', '2026-03']
      const meters = ['vault.requests', 'vault.bytes_out'] as const
      const events = Array.from({ length: 30 }, (_, n) => ({
        accountId: customer.id,
        thing,
        source: `${thing}:${n}`,
        meter: meters[randomInt(2)],
        quantity: String(randomInt(1, 3_000_000_000)),
        at: DateTime.fromISO(`${months[randomInt(3)]}-${10 + randomInt(15)}`, { zone: 'utc' }),
      }))
      for (const event of events) {
        // Reports some events twice. After about half of them, three jobs charge usage concurrently.
        await recordUsage(randomInt(3) ? [event] : [event, event])
        if (randomInt(2)) continue
        await Promise.all([
          chargeUsage(months[randomInt(3)]),
          chargeLateUsage(since, '2026-04'),
          chargeLateUsage(since, '2026-04'),
        ])
      }
      await chargeLateUsage(since, '2026-04')
      const charged: Record<string, string> = {}
      for (const line of await linesOf(customer.id)) {
        const key = `${line.source.split(':')[3]} ${line.billing_period}`
        charged[key] = sumAmounts([charged[key] ?? '0', line.quantity])
      }
      const due: Record<string, string> = {}
      for (const month of months) {
        for (const meter of meters) {
          const these = events.filter((one) => one.meter === meter)
          const ofMonth = these.filter(({ at }) => at.toFormat('yyyy-MM') === month)
          const used = new Big(sumAmounts(ofMonth.map(({ quantity }) => quantity)))
          const beyond = meter === 'vault.requests' ? used : used.div('1e9').minus(10).round(6)
          if (beyond.gt(0)) due[`${meter} ${month}`] = beyond.toString()
        }
      }
      assert.deepEqual(charged, due)
    }
  })
})
