import { sendSpendingAlerts } from '#billing/actions/spending_alerts'
import { chargeSubscriptionPeriods } from '#billing/charging/create_charges'
import { loadMonthToDate } from '#billing/queries/month_to_date'
import { recordUsage } from '#catalog/public'
import Subscription from '#catalog/models/subscription'
import { nextRenewal } from '#catalog/next_renewal'
import { formatTaka, dollarsToTaka } from '#core/money'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type Person from '#identity/models/person'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomInt, randomUUID } from 'node:crypto'

test.group('The month-to-date total', (group) => {
  const now = DateTime.fromISO('2031-03-20T12:00', { zone: 'Asia/Dhaka' })
  let customer: Person
  group.each.setup(async () => void (customer = await makeCustomer()))

  const began = async (from: DateTime, more: Partial<Subscription> = {}) => {
    const instance = await makeInstance(customer)
    return Subscription.create({
      accountId: customer.id,
      subjectType: 'server_instance',
      subjectId: instance.id,
      packageVersionId: instance.packageVersionId,
      period: 'month',
      price: '31',
      renewalPrice: '62',
      startedAt: from,
      anchoredAt: from,
      renewsAt: nextRenewal(from, 'month', from),
      ...more,
    })
  }

  const sent = async () => {
    const mails = await db.from('outbox_mails').where('to', customer.email).orderBy('id')
    return mails.filter(({ subject }) => subject.startsWith('Your usage this month'))
  }

  test('is the same before and after the charges of the month are created', async ({ assert }) => {
    // This subscription began on 18 February. Only its renewal on 18 March counts in this month.
    await began(now.minus({ months: 1, days: 2 }))
    await began(now.minus({ days: 5 }))
    const vault = randomInt(1e9)
    await recordUsage([
      {
        accountId: customer.id,
        thing: `vault:${vault}`,
        meter: 'vault.requests' as const,
        quantity: '10000',
        at: now.minus({ days: 1 }),
        source: randomUUID(),
      },
    ])
    const rate = await loadDollarRate()
    const first = await loadMonthToDate(customer.id, now)
    assert.equal(first.month, '2031-03')
    assert.equal(first.total, dollarsToTaka('94', rate))
    assert.lengthOf(first.services, 3)
    await chargeSubscriptionPeriods(now.minus({ days: 60 }), now)
    assert.deepEqual(await loadMonthToDate(customer.id, now), first)
    const other = await loadMonthToDate((await makeCustomer()).id, now)
    assert.containSubset(other, { total: '0.00', services: [], alert: null, crossed: false })
  })

  test('an alert is emailed once when the total reaches the customer’s limit, even by concurrent runs', async ({
    assert,
  }) => {
    const visitor = await signIn(customer)
    assert.equal((await visitor.post('/billing/alert', { amount: '-5' })).status, 422)
    assert.equal((await visitor.post('/billing/alert', { amount: '0' })).status, 422)
    const rate = await loadDollarRate()
    const sum = dollarsToTaka('31', rate)
    assert.equal((await visitor.post('/billing/alert', { amount: sum })).status, 200)
    await sendSpendingAlerts(now)
    assert.lengthOf(await sent(), 0)
    await began(now.minus({ days: 1 }))
    await Promise.all(Array.from({ length: 4 }, () => sendSpendingAlerts(now)))
    await sendSpendingAlerts(now.plus({ days: 1 }))
    const mails = await sent()
    assert.lengthOf(mails, 1)
    assert.include(mails[0].text, formatTaka(sum))
    assert.isNotNull(mails[0].html)
    assert.isTrue((await loadMonthToDate(customer.id, now)).crossed)
    await visitor.post('/billing/alert', { amount: sum })
    await sendSpendingAlerts(now)
    assert.lengthOf(await sent(), 1)
    await visitor.post('/billing/alert', { amount: '10' })
    await sendSpendingAlerts(now)
    assert.lengthOf(await sent(), 2)
    await sendSpendingAlerts(now.plus({ months: 1 }))
    assert.lengthOf(await sent(), 3)
    assert.equal((await visitor.post('/billing/alert', { amount: null })).status, 200)
    await sendSpendingAlerts(now.plus({ months: 2 }))
    assert.lengthOf(await sent(), 3)
  })
})
