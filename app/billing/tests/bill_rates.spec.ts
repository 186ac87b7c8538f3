import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { creditBill } from '#billing/actions/credit_or_write_off_bill'
import { sendBillMailOnRequest } from '#billing/actions/send_bill_mails'
import { makeBills } from '#billing/charging/make_bills'
import Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { alerts } from '#billing/monitoring'
import { listBillsToPayForDashboard, listOpenBillResourceRows } from '#billing/queries/bills'
import { charge, freshTrx, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import { priceFor, lockOffer, assertPriceUnchanged } from '#catalog/public'
import { loadOrderOptions } from '#instances/queries/order_options'
import { createSmallPackage } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const by = { actor: null }
const today = () => DateTime.now().setZone('Asia/Dhaka')

const claimOf = (taka: string | null = null) => ({
  accountNumber: '017',
  reference: null,
  parts: [{ trxId: freshTrx(), taka }],
})

/**
 * Runs `work` while today's dollar rate is `rate` (null: there is no rate at all), then restores the
 * rates for other tests.
 */
async function withTodaysRate(rate: string | null, work: () => Promise<void>): Promise<void> {
  const rates = await db.from('dollar_rates')
  const day = today().toISODate()!
  if (rate === null) await db.from('dollar_rates').delete()
  else await db.table('dollar_rates').insert({ effective_from: day, rate })
  try {
    await work()
  } finally {
    await db.from('dollar_rates').delete()
    await db.table('dollar_rates').multiInsert(rates)
  }
}

test.group('The dollar rate of a bill', (group) => {
  group.setup(() => setMerchantAccount())

  test('is the rate of the billing date, wherever the bill is shown', async ({ assert }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    assert.equal(Number(bill.dollarRate), 122.5)
    assert.equal(bill.rateDay?.toISODate(), today().toISODate())
    await withTodaysRate('200', async () => {
      const visitor = await signIn(customer)
      const page = (await visitor.page(`/billing/${bill.id}`)).json.props as object
      assert.containSubset(page, {
        rate: '122.5',
        rate_frozen: true,
        rate_day: today().toISODate(),
        totalPayable: '1246.44',
        due_taka: '1225.00',
      })
      const staff = await signIn(await makeStaff('administrator'))
      const details = (await staff.page(`/admin/billing/details/${bill.id}`)).json.props as object
      assert.containSubset(details, { rate: '122.5', due_taka: '1225.00' })
      const list = (await visitor.page('/billing')).json.props as object
      assert.containSubset(list, { bills: [{ amount_taka: '1225.00', due_taka: '1225.00' }] })
      const [row] = await listBillsToPayForDashboard(customer.id, 5)
      assert.include(row.note, '৳1,225.00')
      const [resource] = await listOpenBillResourceRows(customer.id)
      assert.equal(resource.name, `${bill.number}, ৳1,225.00`)
      await sendBillMailOnRequest(bill, 'reminder', false, by)
      const mail = await db
        .from('outbox_mails')
        .where('to', customer.email)
        .orderBy('id', 'desc')
        .first()
      assert.include(mail.text, 'Total payable: ৳1,246.44')
      assert.include(mail.text, `Dollar rate: ৳122.50 (${today().toFormat('LLL d, yyyy')})`)
    })
  })

  test('stays the same for a rejected claim, a part payment and the last payment', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    await withTodaysRate('200', async () => {
      await reportBillPayment(bill, claimOf(), by)
      await rejectBillPayment(bill, null, by)
      await creditBill(bill, { amount: '2', note: 'Down' }, by)
      await reportBillPayment(bill, claimOf('500'), by)
      await approveBillPayment(bill, by)
      await reportBillPayment(bill, claimOf(), by)
      await approveBillPayment(bill, by)
    })
    await bill.refresh()
    assert.containSubset(bill.$attributes, { status: 'success' })
    const sent = await BillPayment.query().where('billId', bill.id).orderBy('id')
    // The fee is 1.75 %: 8 dollars x 122.50 x 1.0175 is 997.15 taka.
    assert.deepEqual(
      sent.map(({ taka }) => taka),
      ['1246.44', '500.00', '497.15']
    )
    assert.isTrue(sent.every(({ dollarRate }) => Number(dollarRate) === 122.5))
  })

  test('stays the same when the previous release of Berth updates the bill', async ({ assert }) => {
    const bill = await makeBill(await makeCustomer())
    await db.from('bills').where('id', bill.id).update({ dollar_rate: '200', status: 'processing' })
    await db.from('bills').where('id', bill.id).update({ dollar_rate: null, status: 'pending' })
    await bill.refresh()
    assert.equal(Number(bill.dollarRate), 122.5)
  })

  test('is the rate of the first payment if none was set when the bill was issued', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const seller = { name: 'Berth', address: '', bin: '' }
    let id = 0
    // Simulates an older release: only those could issue bills without a rate.
    await withTodaysRate(null, async () => {
      const [row] = await db
        .table('bills')
        .insert({
          family: 'console',
          number: `B-2018-${String(customer.id).padStart(6, '0')}`,
          account_id: customer.id,
          currency: 'USD',
          amount: '10',
          billing_date: '2025-12-01',
          due_date: '2025-12-08',
          zone: 'Asia/Dhaka',
          issued: JSON.stringify({ seller, buyer: { name: 'x', email: 'x@example.com' } }),
        })
        .returning('id')
      id = row.id
    })
    const bill = await Bill.findOrFail(id)
    assert.isNull(bill.dollarRate)
    await reportBillPayment(bill, claimOf(), by)
    await rejectBillPayment(bill, null, by)
    await bill.refresh()
    assert.equal(Number(bill.dollarRate), 122.5)
    assert.equal(bill.rateDay?.toISODate(), today().toISODate())
  })

  test('is set by the migration for older open bills, to the rate of the billing date or of the reported payment', async ({
    assert,
  }) => {
    const { default: Migration } = await import('#database/migrations/0234_bill_rates')
    const trx = await db.connection('owner').transaction()
    try {
      for (const statement of [
        'create schema before_rates',
        'set local search_path to before_rates, public',
        'create table dollar_rates (effective_from date, rate numeric)',
        `create table bills (id bigint, family text, status text, billing_date date, zone text,
          dollar_rate numeric)`,
        'create table bill_payments (bill_id bigint, status text, claimed_at timestamptz)',
        `insert into dollar_rates values ('2026-01-10', 120), ('2026-02-01', 125)`,
        `insert into bills values
          (1, 'console', 'pending', '2026-01-20', 'Asia/Dhaka', null),
          (2, 'console', 'deleted', '2026-02-01', 'Asia/Dhaka', null),
          (3, 'console', 'rejected', '2025-12-01', 'Asia/Dhaka', null),
          (4, 'console', 'processing', '2026-01-20', 'Asia/Dhaka', 125),
          (5, 'console', 'success', '2026-01-20', 'Asia/Dhaka', 125),
          (6, 'autocourier', 'pending', '2026-01-20', 'Asia/Dhaka', null)`,
        `insert into bill_payments values (4, 'claimed', '2026-02-02T20:00:00Z')`,
      ]) {
        await trx.rawQuery(statement)
      }
      await new Migration(trx, 'bill_rates', false).execUp()
      const { rows } = await trx.rawQuery(
        'select id::int, dollar_rate::float, rate_day::text from bills order by id'
      )
      assert.deepEqual(
        rows.map((row: Record<string, unknown>) => Object.values(row)),
        [
          [1, 120, '2026-01-20'],
          [2, 125, '2026-02-01'],
          [3, 120, '2026-01-10'],
          [4, 125, '2026-02-03'],
          [5, 125, null],
          [6, null, null],
        ]
      )
    } finally {
      await trx.rollback()
    }
  })
})

test.group('Without any dollar rate', () => {
  test('Berth sells and bills nothing, and an alert notifies staff', async ({ assert }) => {
    const customer = await makeCustomer()
    await charge(customer.id, [{ cost: '5' }])
    const row = await createSmallPackage('shared')
    await withTodaysRate(null, async () => {
      await assert.rejects(() => makeBills(DateTime.utc()), /^No dollar rate is set for today/)
      const { canOrder } = await loadOrderOptions(customer.id)
      assert.isFalse(canOrder.allowed)
      const buy = () =>
        db.transaction(async (trx) => {
          const offer = (await lockOffer(row.id, trx))!
          assert.isNotNull(priceFor(offer.version, 'month'))
          await assertPriceUnchanged(offer, 'month', undefined, trx)
        })
      await assert.rejects(buy, /^Prices are not available right now/)
      const [problem] = await alerts.find(({ name }) => name === 'billing.rate')!.findProblems()
      assert.match(problem.words, /^No dollar rate is set/)
    })
    assert.isNull(await Bill.findBy('accountId', customer.id))
    await makeBills(DateTime.utc())
    assert.isNotNull(await Bill.findBy('accountId', customer.id))
  })
})
