import {
  chargeUsageThroughMonth,
  chargeSubscriptionPeriods,
} from '#billing/charging/create_charges'
import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { makeBills } from '#billing/charging/make_bills'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { creditBill, writeOffBill } from '#billing/actions/credit_or_write_off_bill'
import { lastClosedMonth } from '#billing/charging/run_billing'
import Bill from '#billing/models/bill'
import { freshTrx } from '#billing/tests/fixtures'
import { BookModel, type SoldSubscription } from '#billing/tests/book_model'
import { createSeededRandom } from '#billing/tests/seeded_random'
import type { MeterKey } from '#core/modules'
import { loadDollarRate } from '#core/settings/dollar_rate'
import Subscription from '#catalog/models/subscription'
import { recordUsage } from '#catalog/public'
import { nextRenewal } from '#catalog/next_renewal'
import type Person from '#identity/models/person'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer } from '#tests/support/people'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomInt } from 'node:crypto'

/**
 * Settings of the simulation. BERTH_BOOKS_SEED: repeats a run (default random). BERTH_BOOKS_YEARS:
 * number of tests (default 1), each with its own seed and the same simulated year.
 * BERTH_BOOKS_CUSTOMERS: number of customers (default 4).
 */
const seed = Number(process.env.BERTH_BOOKS_SEED ?? randomInt(2 ** 31))
const years = Number(process.env.BERTH_BOOKS_YEARS ?? 1)
const many = Number(process.env.BERTH_BOOKS_CUSTOMERS ?? 4)
const by = { actor: null }
const BILLING_ZONE = 'Asia/Dhaka'
const metered: MeterKey[] = [
  'vault.requests',
  'vault.bytes_out',
  'vault.byte_hours',
  'mail.accepted',
]
/** The simulated year contains 29 February. */
const BUSINESS_START = DateTime.fromISO('2023-07-01T00:00', { zone: BILLING_ZONE })

test.group('A year of bills', () => {
  for (let year = 0; year < years; year++) {
    test(`agrees with a model to the micro-dollar (BERTH_BOOKS_SEED=${seed + year})`, async ({
      assert,
    }) => {
      const { number, pick, chance, moment } = createSeededRandom(seed + year)
      const model = new BookModel()
      const people = await Promise.all(Array.from({ length: many }, () => makeCustomer()))
      const ids = people.map(({ id }) => id)
      const running = new Map<SoldSubscription, Subscription>()
      await db.from('usage_months').delete()

      const write = async (
        sold: SoldSubscription,
        person: Pick<Person, 'id'>,
        instance: { id: number; packageVersionId: number | null }
      ) => {
        const { startedAt, anchoredAt, period, price, renewalPrice } = sold
        const row = await Subscription.create({
          accountId: person.id,
          subjectType: 'server_instance',
          subjectId: instance.id,
          packageVersionId: instance.packageVersionId!,
          period,
          price,
          renewalPrice,
          startedAt,
          anchoredAt,
          renewsAt: nextRenewal(anchoredAt, period, startedAt),
        })
        sold.id = row.id
        running.set(sold, row)
      }
      const money = () => (number(0, 40_000_000) / 1_000_000).toFixed(6)
      const order = async (at: DateTime) => {
        const person = pick(people)
        const instance = await makeInstance(person)
        const period = chance(0.8) ? 'month' : 'year'
        const sold = model.sell(person.id, {
          period,
          price: money(),
          renewalPrice: money(),
          startedAt: at,
          anchoredAt: at,
        })
        await write(sold, person, instance)
      }
      const end = async (at: DateTime, reason: 'resized' | 'deleted') => {
        if (running.size === 0) return
        const sold = pick([...running.keys()])
        const row = running.get(sold)!
        if (at <= sold.startedAt) return
        await row.merge({ endedAt: at, endReason: reason }).save()
        running.delete(sold)
        sold.ended = { at, reason }
        if (reason === 'deleted') return
        const price = money()
        const next = { period: sold.period, price, renewalPrice: price, startedAt: at }
        const after = model.sell(sold.accountId, { ...next, anchoredAt: sold.anchoredAt })
        await write(
          after,
          { id: sold.accountId },
          { id: row.subjectId, packageVersionId: row.packageVersionId }
        )
      }
      const use = async (at: DateTime) => {
        const accountId = pick(ids)
        const thing = `vault:${900_000_000 + accountId * 2 + number(0, 1)}`
        const meter = pick(metered)
        const most = { 'vault.requests': 2e6, 'vault.bytes_out': 2e10, 'vault.byte_hours': 5e12 }
        const quantity = String(number(1, most[meter as keyof typeof most] ?? 9_999))
        const source = `${thing}:${meter}:${freshTrx()}`
        await recordUsage([{ accountId, meter, quantity, thing, source, at: at.toUTC() }])
        model.use({ accountId, thing, meter, quantity, at })
      }

      const bills = () => Bill.query().whereIn('accountId', ids).orderBy('id')
      const move = async () => {
        const all = await bills()
        if (all.length === 0) return
        const bill = pick(all)
        const known = model.bills[all.indexOf(bill)]
        if (bill.status === 'processing') {
          if (chance(0.7)) {
            await approveBillPayment(bill, by)
            known.approve()
          } else {
            await rejectBillPayment(bill, 'No', by)
            known.reject()
          }
        } else if (bill.status === 'pending' || bill.status === 'rejected') {
          const rate = await loadDollarRate()
          const whole = known.payable(rate)
          const cents = Math.floor(Number(whole) * 100)
          const what = number(0, 9)
          if (what < 6) {
            const isWhole = chance(0.5) || cents < 1_000
            const count = isWhole ? 1 : number(1, 4)
            const each = Array.from({ length: count }, () =>
              (number(100, Math.floor(cents / count)) / 100).toFixed(2)
            )
            const parts = isWhole
              ? [{ trxId: freshTrx(), taka: null }]
              : each.map((taka) => ({ trxId: freshTrx(), taka }))
            await reportBillPayment(bill, { accountNumber: '017', reference: null, parts }, by)
            known.claim(isWhole ? [whole] : each, rate)
          } else {
            const some = known.due.times(number(1, 99)).div(100).round(6, Big.roundDown)
            // The last choice would leave less than one cent, which Berth must reject.
            const amount = pick([null, some, some, known.due.minus('0.000001')])
            if (amount?.lte(0)) return
            const less = { amount: amount?.toFixed() ?? null, note: 'Test' }
            const reduce = () => (what < 8 ? creditBill : writeOffBill)(bill, less, by)
            const left = known.due.minus(amount ?? known.due)
            if (left.gt(0) && left.lt('0.01')) {
              await assert.rejects(reduce, /Less than 0.01 would remain/)
              return
            }
            await reduce()
            known.lessen(amount ?? known.due)
          }
        }
      }

      const run = async (now: DateTime) => {
        await chargeSubscriptionPeriods(BUSINESS_START, now)
        await chargeUsageThroughMonth(BUSINESS_START, lastClosedMonth(now))
        await makeBills(now)
        model.run(now)
      }
      const agree = async (why: string) => {
        const told = await bills()
        const shape = told.map((bill) => [
          bill.accountId,
          new Big(bill.amount).toFixed(6),
          bill.status,
          new Big(bill.due).toFixed(6),
        ])
        const issued = model.bills.map(({ accountId, amount, status, due }) => [
          accountId,
          amount.toFixed(6),
          status,
          due.toFixed(6),
        ])
        assert.deepEqual(shape, issued, why)
        const { rows } = await db.rawQuery(
          `select account_id, sum(cost)::text as cost from bill_charges
           where account_id = any(?) and bill_id is null group by account_id order by account_id`,
          [ids]
        )
        const open = rows.map((row: { account_id: number; cost: string }) => [
          Number(row.account_id),
          new Big(row.cost).toFixed(6),
        ])
        assert.deepEqual(
          open.filter(([, cost]: [number, string]) => Number(cost) !== 0),
          model.open(),
          why
        )
      }
      const balance = async () => {
        const { rows } = await db.rawQuery(
          `select bills.number from bills join ledger_transfers on bill_id = bills.id
           where bills.account_id = any(?) group by bills.id having
             sum(case when debit = 'receivable' then ledger_transfers.amount else -ledger_transfers.amount end)
               <> bills.amount - paid - credited - written_off
             or sum(case when kind = 'paid' then ledger_transfers.amount else 0 end) <> paid`,
          [ids]
        )
        assert.deepEqual(rows, [], 'The books say what the bills say')
      }

      let now: DateTime = BUSINESS_START
      let steps = 0
      while (now < BUSINESS_START.plus({ years: 1, days: 5 })) {
        const at = moment(now)
        await pick([
          () => order(at),
          () => end(at, 'resized'),
          () => end(at, 'deleted'),
          () => use(at),
          () => use(at),
        ])()
        for (let turn = number(0, 3); turn > 0; turn--) await move()
        now = at
        const isFirst = now.setZone(BILLING_ZONE).day === 1
        if (isFirst || chance(0.7)) await run(now)
        await balance()
        if (++steps % 10 === 0) await agree(`after ${steps} steps, ${now.toISO()}`)
      }
      await run(now)
      await agree('at the end')
      const before = await db.from('bill_charges').whereIn('account_id', ids).count('* as total')
      await chargeSubscriptionPeriods(BUSINESS_START, now)
      await chargeUsageThroughMonth(BUSINESS_START, lastClosedMonth(now))
      await makeBills(now)
      await agree('run again')
      const after = await db.from('bill_charges').whereIn('account_id', ids).count('* as total')
      assert.deepEqual(after, before)
      for (const series of ['B-%', 'C-%']) {
        const { rows } = await db.rawQuery(
          `select left(number, 6) as series, count(*)::int as total,
             1 + max(split_part(number, '-', 3)::int) - min(split_part(number, '-', 3)::int) as span
           from (select number from bills union all select number from ledger_transfers) numbers
           where number like ? group by 1`,
          [series]
        )
        for (const { total, span, series: name } of rows) assert.equal(total, span, name)
      }
      assert.isAbove((await bills()).length, 10)
    }).timeout(600_000)
  }
})
