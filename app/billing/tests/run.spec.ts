import {
  chargeSubscriptionPeriods,
  chargeUsage,
  previewUsageCosts,
} from '#billing/charging/create_charges'
import { makeBills } from '#billing/charging/make_bills'
import { lastClosedMonth, runBilling } from '#billing/charging/run_billing'
import { runDunning } from '#billing/actions/dunning'
import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import { alerts } from '#billing/monitoring'
import { findBillingProgress, saveBillingProgress } from '#billing/queries/unbilled_periods'
import { freshTrx, makeBill } from '#billing/tests/fixtures'
import Account from '#accounts/models/account'
import { resumeAccount, suspendAccount } from '#accounts/actions/suspend_and_resume'
import { recordUsage } from '#catalog/public'
import Subscription from '#catalog/models/subscription'
import { nextRenewal } from '#catalog/next_renewal'
import type { MeterKey } from '#core/modules'
import type Person from '#identity/models/person'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomInt } from 'node:crypto'

const at = (text: string) => DateTime.fromISO(text, { zone: 'Asia/Dhaka' })
const long = at('2000-01-01')
const by = { actor: null }

const linesOf = async (accountId: number) => {
  const rows = await db.from('bill_charges').where('account_id', accountId).orderBy('id')
  return rows.map(({ bill_type: type, quantity, cost }) => [type, Number(quantity), Number(cost)])
}

const chargeAndComplete = async (from: DateTime, until: DateTime) =>
  saveBillingProgress(await chargeSubscriptionPeriods(from, until))

async function subscribe(customer: Person, began: DateTime, more: Partial<Subscription> = {}) {
  const instance = await makeInstance(customer)
  const period = more.period ?? 'month'
  return Subscription.create({
    accountId: customer.id,
    subjectType: 'server_instance',
    subjectId: instance.id,
    packageVersionId: instance.packageVersionId,
    period,
    price: '31',
    renewalPrice: '62',
    startedAt: began,
    anchoredAt: began,
    renewsAt: nextRenewal(began, period, began),
    ...more,
  })
}

test.group('A subscription', () => {
  test('is charged once when a period begins, at the price of that period', async ({ assert }) => {
    const customer = await makeCustomer()
    // It is 31 January in the billing time zone, but still 30 January in UTC.
    await subscribe(customer, at('2026-01-31T00:30'))
    const until = at('2026-03-30T12:00')
    for (let time = 0; time < 2; time++) await chargeSubscriptionPeriods(long, until)
    const costs = (await linesOf(customer.id)).map(([, , cost]) => cost)
    assert.deepEqual(costs, [31, 62])
    // The subscription renewed on the last day of February. It renews on the 31st again in March.
    await chargeSubscriptionPeriods(long, at('2026-03-31T00:31'))
    assert.lengthOf(await linesOf(customer.id), 3)
  })

  test('that is resized within a period is charged by days without gaps', async ({ assert }) => {
    const customer = await makeCustomer()
    const began = at('2026-01-01T10:00')
    const moved = at('2026-01-11T15:00')
    const one = await subscribe(customer, began)
    await chargeSubscriptionPeriods(long, at('2026-01-02'))
    await one.merge({ endedAt: moved, endReason: 'resized' }).save()
    const next = { startedAt: moved, anchoredAt: began, price: '62', renewalPrice: '62' }
    await Subscription.create({
      ...one.$attributes,
      ...next,
      id: undefined,
      endedAt: null,
      endReason: null,
      renewsAt: nextRenewal(began, 'month', moved),
    } as never)
    for (let time = 0; time < 2; time++) await chargeSubscriptionPeriods(long, at('2026-01-20'))
    const lines = await linesOf(customer.id)
    assert.deepEqual(
      lines.map(([, , cost]) => cost).sort((a, b) => Number(a) - Number(b)),
      [-21, 31, 42]
    )
    await makeBills(at('2026-01-20'))
    const bill = await Bill.findByOrFail('accountId', customer.id)
    assert.equal(Number(bill.amount), 52)
  })

  test('is credited for paid days that were not used, and a negative total creates no bill', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const one = await subscribe(customer, at('2026-01-01T10:00'))
    await chargeSubscriptionPeriods(long, at('2026-01-02'))
    await makeBills(at('2026-01-02'))
    await one.merge({ endedAt: at('2026-01-10T09:00'), endReason: 'deleted' }).save()
    await chargeSubscriptionPeriods(long, at('2026-02-20'))
    // The day of the deletion counts as used.
    const lines = await linesOf(customer.id)
    assert.deepEqual(
      lines.map(([, , cost]) => cost),
      [31, -21]
    )
    await makeBills(at('2026-02-20'))
    assert.lengthOf(await Bill.query().where('accountId', customer.id), 1)
  })

  test('is not charged before its resource is delivered', async ({ assert }) => {
    const customer = await makeCustomer()
    const { subjectId } = await subscribe(customer, at('2026-01-01T10:00'))
    await db.from('server_instances').where('id', subjectId).update({ status: 'failed' })
    await chargeSubscriptionPeriods(long, at('2026-01-02'))
    assert.lengthOf(await linesOf(customer.id), 0)
  })

  test('is charged for each period, however late its resource is delivered', async ({ assert }) => {
    const customer = await makeCustomer()
    const { subjectId } = await subscribe(customer, at('2024-01-01T10:00'))
    const setStatus = (status: string) =>
      db.from('server_instances').where('id', subjectId).update({ status })
    await setStatus('failed')
    const alertTexts = async () => {
      const problems = await alerts.find(({ name }) => name === 'billing.unbilled')!.findProblems()
      return problems.map(({ words }) => words).filter((words) => words.includes(` ${name} `))
    }
    const { name } = await db.from('server_instances').where('id', subjectId).first()
    const now = DateTime.utc()
    // Simulates an installation that is as old as the subscription.
    await db.from('settings').where('key', 'billing_progress').delete()
    await chargeAndComplete(long, at('2024-01-02'))
    await chargeAndComplete(long, now)
    assert.match(
      (await alertTexts()).join(' '),
      /from 2024-01-01, because the service was not delivered/
    )
    await chargeAndComplete(long, now)
    await setStatus('active')
    await chargeAndComplete(long, now)
    const months = Math.floor(
      now.setZone('Asia/Dhaka').diff(at('2024-01-01T10:00'), 'months').months
    )
    assert.lengthOf(await linesOf(customer.id), months + 1)
    assert.isEmpty(await alertTexts())
  })

  test('is charged for each period after half a year without billing', async ({ assert }) => {
    const customer = await makeCustomer()
    const began = at('2025-01-05T10:00')
    await subscribe(customer, began)
    await db.from('settings').where('key', 'billing_progress').delete()
    await chargeAndComplete(long, at('2025-01-06'))
    assert.lengthOf(await linesOf(customer.id), 1)
    await chargeAndComplete(long, at('2025-09-06'))
    assert.lengthOf(await linesOf(customer.id), 9)
  })
})

test.group('A billing run that ends before it creates bills', () => {
  test('does not count as the last complete run', async ({ assert }) => {
    const before = DateTime.utc().minus({ days: 3 })
    await db.from('settings').where('key', 'billing_progress').delete()
    await runBilling(before)
    assert.equal((await findBillingProgress())!.at, before.toISO())
    const stopped = new AbortController()
    stopped.abort()
    await runBilling(DateTime.utc(), stopped.signal)
    const rates = await db.from('dollar_rates')
    await db.from('dollar_rates').delete()
    try {
      await assert.rejects(() => runBilling(DateTime.utc()), /no bills were created/)
    } finally {
      await db.table('dollar_rates').multiInsert(rates)
    }
    assert.equal((await findBillingProgress())!.at, before.toISO())
    const problems = await alerts.find(({ name }) => name === 'billing.unbilled')!.findProblems()
    assert.match(problems.map(({ words }) => words).join(), /last complete billing run was on/)
    const now = DateTime.utc()
    await runBilling(now)
    assert.equal((await findBillingProgress())!.at, now.toISO())
  })

  test('leaves a resource that is delivered meanwhile to the next run, which charges all its periods', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const { subjectId } = await subscribe(customer, at('2024-01-01T10:00'))
    const setStatus = (status: string) =>
      db.from('server_instances').where('id', subjectId).update({ status })
    await setStatus('failed')
    await db.from('settings').where('key', 'billing_progress').delete()
    await chargeAndComplete(long, at('2024-01-02'))
    const now = DateTime.utc()
    const progress = await chargeSubscriptionPeriods(long, now)
    await setStatus('active')
    await saveBillingProgress(progress)
    await chargeAndComplete(long, now)
    assert.isAbove((await linesOf(customer.id)).length, 12)
  })
})

test.group('Metered usage', () => {
  test('is charged once above the included quantity, after its month has ended', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const thing = `vault:${randomInt(1e9)}`
    const use = (meter: MeterKey, quantity: string, day: string) => ({
      accountId: customer.id,
      meter,
      quantity,
      thing,
      source: `${thing}:${meter}:${day}`,
      at: DateTime.fromISO(day, { zone: 'utc' }),
    })
    await recordUsage([
      use('vault.requests', '1000', '2026-02-01'),
      use('vault.requests', '500', '2026-02-28'),
      use('vault.requests', '7', '2026-03-01'),
      use('vault.bytes_out', '12000000000', '2026-02-03'),
      // Usage of 6 GB stored for the whole month of 28 days.
      use('vault.byte_hours', String(6e9 * 24 * 28), '2026-02-04'),
    ])
    const preview = await previewUsageCosts('2026-02')
    assert.equal(Number(preview.find((one) => one.accountId === customer.id)!.cost), 0.66)
    for (let time = 0; time < 2; time++) await chargeUsage('2026-02')
    const lines = (await linesOf(customer.id)).sort()
    assert.deepEqual(lines, [
      ['Bandwidth', 2, 0.36],
      ['Requests', 1500, 0.15],
      ['Storage', 1, 0.15],
    ])
    assert.isUndefined(
      (await previewUsageCosts('2026-02')).find((one) => one.accountId === customer.id)
    )
  })

  test('is charged some hours after the end of its month', ({ assert }) => {
    assert.equal(lastClosedMonth(at('2026-03-01T11:59')), '2026-01')
    assert.equal(lastClosedMonth(at('2026-03-01T12:00')), '2026-02')
    assert.equal(lastClosedMonth(at('2024-03-31T23:00')), '2024-02')
  })
})

test.group('Bills', () => {
  test('have numbers without gaps, and concurrent runs bill nothing twice', async ({ assert }) => {
    const customers = await Promise.all(Array.from({ length: 5 }, () => makeCustomer()))
    for (const customer of customers) await subscribe(customer, at('2026-01-05T10:00'))
    await chargeSubscriptionPeriods(long, at('2026-01-06'))
    await Promise.all(Array.from({ length: 4 }, () => makeBills(at('2026-01-06'))))
    const ids = customers.map(({ id }) => id)
    assert.lengthOf(await Bill.query().whereIn('accountId', ids), 5)
    const { rows } = await db.rawQuery(
      `select count(*) as total, max(right(number, 6)::int) as last from bills where number like 'B-2026-%'`
    )
    assert.equal(rows[0].total, rows[0].last)
  })

  test('have seven digits after a million bills in a year', async ({ assert }) => {
    await db.table('bill_numbers').insert({ series: 'B-2019', last: 999_998 })
    const customers = await Promise.all(Array.from({ length: 3 }, () => makeCustomer()))
    for (const customer of customers) await subscribe(customer, at('2019-01-05T10:00'))
    await chargeSubscriptionPeriods(long, at('2019-01-06'))
    await makeBills(at('2019-01-06'))
    const ids = customers.map(({ id }) => id)
    const bills = await Bill.query().whereIn('accountId', ids).orderBy('id')
    const numbers = bills.map(({ number }) => number)
    assert.deepEqual(numbers, ['B-2019-999999', 'B-2019-1000000', 'B-2019-1000001'])
  })

  test('are emailed once, even if two billing runs start at the same time', async ({ assert }) => {
    const customer = await makeCustomer()
    await makeBill(customer)
    await Promise.all([runBilling(DateTime.utc()), runBilling(DateTime.utc())])
    const mails = await db.from('outbox_mails').where('to', customer.email)
    assert.lengthOf(
      mails.filter(({ subject }) => subject.startsWith('Your bill')),
      1
    )
  })
})

test.group('An overdue bill', () => {
  const day = at('2026-02-01T09:00') as DateTime<true>
  const billed = async () => {
    const customer = await makeCustomer()
    return { customer, bill: await makeBill(customer, undefined, day) }
  }
  const claims = (bill: Bill) => {
    const parts = [{ trxId: freshTrx(), taka: null }]
    return reportBillPayment(bill, { accountNumber: '017', reference: null, parts }, by)
  }
  const steps = async ({ id }: Bill) => {
    const rows = await db.from('bill_mails').where('bill_id', id).orderBy('id')
    return rows.map(({ step }) => step)
  }
  const statusOf = async ({ id }: Person) => (await Account.findOrFail(id)).status

  test('causes reminders, then the suspension of its account, which a payment ends at once', async ({
    assert,
  }) => {
    const { customer, bill } = await billed()
    for (const days of [3, 4, 4, 6, 7, 8, 9, 13]) await runDunning(day.plus({ days }))
    assert.deepEqual(await steps(bill), ['reminder:3', 'reminder:0', 'overdue'])
    assert.equal(await statusOf(customer), 'active')
    await runDunning(day.plus({ days: 14 }))
    assert.equal(await statusOf(customer), 'suspended')
    await claims(bill)
    await approveBillPayment(bill, by)
    assert.equal(await statusOf(customer), 'active')
  })

  test('causes no suspension while a reported payment is under review, until it is rejected', async ({
    assert,
  }) => {
    const { customer, bill } = await billed()
    await claims(bill)
    await runDunning(day.plus({ days: 20 }))
    assert.equal(await statusOf(customer), 'active')
    await rejectBillPayment(bill, null, by)
    await runDunning(day.plus({ days: 20 }))
    assert.equal(await statusOf(customer), 'suspended')
  })

  test('changes neither a suspension nor a resumption by staff', async ({ assert }) => {
    const { customer, bill } = await billed()
    await suspendAccount(customer.id, 'Abuse', by)
    await runDunning(day.plus({ days: 14 }))
    await claims(bill)
    await approveBillPayment(bill, by)
    assert.equal(await statusOf(customer), 'suspended')
    const other = await billed()
    await runDunning(day.plus({ days: 14 }))
    await resumeAccount(other.customer.id, by)
    await runDunning(day.plus({ days: 15 }))
    assert.equal(await statusOf(other.customer), 'active')
  })
})
