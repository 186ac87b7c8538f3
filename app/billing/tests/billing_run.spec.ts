import { startBillingRun } from '#billing/actions/start_billing_run'
import { chargeUsageThroughMonth, saveChargesFromQuery } from '#billing/charging/create_charges'
import { makeBills, ACCOUNTS_WITH_OPEN_CHARGES_QUERY } from '#billing/charging/make_bills'
import Bill from '#billing/models/bill'
import BillingRun from '#billing/models/billing_run'
import { billingRunOperation } from '#billing/operations/billing_run'
import { TARGET_ROWS_PER_TRANSACTION, findNextAccountRange } from '#billing/queries/account_ranges'
import { usageChargesQuery } from '#billing/queries/charges'
import {
  monthComparisonListDefinition,
  listLastRuns,
  previewBillingRun,
  listSkippedAccounts,
} from '#billing/queries/runs'
import { charge, makeBill } from '#billing/tests/fixtures'
import { createDueCharges } from '#billing/charging/run_billing'
import { recordUsage } from '#catalog/public'
import Subscription from '#catalog/models/subscription'
import { parseListRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import type { StepContext } from '#core/operations/operations'
import { OperationRunner } from '#core/operations/runner'
import { eventually } from '#tests/support/eventually'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomInt, randomUUID } from 'node:crypto'

const by = { actor: null }
const asked = (query: object) =>
  parseListRequest({ request: { qs: () => query } } as never, monthComparisonListDefinition)
const billsOf = (accountId: number) => Bill.query().where({ accountId }).orderBy('id')
const over = (id: string) =>
  eventually(async () => {
    const operation = await Operation.findOrFail(id)
    if (operation.status !== 'done') throw new Error(`${operation.status}: ${operation.error}`)
    return operation
  })

test.group('A billing run', (group) => {
  group.each.setup(async () => {
    await BillingRun.query()
      .where('status', 'running')
      .update({ status: 'failed', endedAt: DateTime.utc().toSQL() })
  })

  test('creates the bills that its preview showed, and a second run creates none', async ({
    assert,
    cleanup,
  }) => {
    await makeBills(DateTime.utc())
    const [one, other, poor] = await Promise.all([makeCustomer(), makeCustomer(), makeCustomer()])
    await charge(one.id, [{ cost: '10.25' }, { cost: '2' }])
    await charge(other.id, [{ cost: '5' }])
    await charge(poor.id, [{ cost: '3' }, { cost: '-7.5' }])
    const { preview, accounts } = await previewBillingRun(
      DateTime.utc(),
      asked({ search: one.name }),
      20
    )
    const mine = accounts.find(({ account_id: id }) => id === one.id)
    assert.deepEqual([mine?.change, Number(mine?.now)], ['new', 12.25])
    assert.lengthOf(await billsOf(one.id), 0)
    cleanup(await startWorker())
    const first = await over((await startBillingRun(by)).id)
    assert.equal(first.result?.bills, preview.bills)
    assert.equal(Number(first.result?.total), Number(preview.total))
    assert.lengthOf(await billsOf(one.id), 1)
    assert.lengthOf(await billsOf(poor.id), 0)
    const [report] = await listLastRuns()
    const left = report.skipped.find(({ account_id: id }) => id === poor.id)
    assert.deepEqual(
      [left?.reason, Number(left?.waits)],
      ['The account has more credit than charges', -4.5]
    )
    const second = await over((await startBillingRun(by)).id)
    assert.equal(second.result?.bills, 0)
  })

  test('two simultaneous starts start one run', async ({ assert }) => {
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => startBillingRun(by)))
    assert.lengthOf(
      started.filter(({ status }) => status === 'fulfilled'),
      1
    )
    assert.equal(await runningRuns(), 1)
  })

  test('continues as the same run after its worker was killed', async ({ assert, cleanup }) => {
    await makeBills(DateTime.utc())
    const customers = await Promise.all(Array.from({ length: 3 }, () => makeCustomer()))
    for (const { id } of customers) await charge(id, [{ cost: '4' }])
    const { id, input } = await startBillingRun(by)
    // Simulates a process that was killed after it created the bills and before it marked the step as done.
    await createDueCharges(DateTime.utc())
    const context = {
      state: {},
      reportProgress: async () => {},
      signal: new AbortController().signal,
    }
    await billingRunOperation.steps[1].run(input as never, context as unknown as StepContext)
    // `start` runs the operation. `startWorker` would mark queued operations as failed.
    const runner = new OperationRunner()
    await runner.start()
    cleanup(() => runner.stop())
    const { result } = await over(id)
    assert.equal(result?.bills, 3)
    for (const customer of customers) assert.lengthOf(await billsOf(customer.id), 1)
  })

  test('charges and bills each account once, even if it is interrupted between transactions', async ({
    assert,
  }) => {
    await makeBills(DateTime.utc())
    await db.from('usage_months').where('month', '2019-05').delete()
    const people = await Promise.all(Array.from({ length: 3 }, () => makeCustomer()))
    const thing = `vault:${randomInt(1e9)}`
    await recordUsage(
      people.map(({ id }) => ({
        accountId: id,
        quantity: '1000',
        thing: `${thing}${id}`,
        meter: 'mail.accepted' as const,
        source: `${thing}${id}`,
        at: DateTime.fromISO('2019-05-03'),
      }))
    )
    // Simulates a process that was killed after it charged the first of the three accounts.
    const [first] = people.map(({ id }) => id).sort((a, b) => a - b)
    const range = { above: String(first - 1), upTo: String(first) }
    await db.transaction((trx) => saveChargesFromQuery(usageChargesQuery('2019-05', range), trx))
    assert.lengthOf(await linesOf(people.map(({ id }) => id)), 1)
    await chargeUsageThroughMonth(DateTime.fromISO('2019-05-01'), '2019-05')
    await chargeUsageThroughMonth(DateTime.fromISO('2019-05-01'), '2019-05')
    assert.lengthOf(await linesOf(people.map(({ id }) => id)), 3)
    const aborted = AbortSignal.abort()
    assert.equal(await makeBills(DateTime.utc(), { signal: aborted }), 0)
    assert.equal(await makeBills(DateTime.utc()), 3)
    assert.equal(await makeBills(DateTime.utc()), 0)
  })

  test('bills accounts in batches, each account with all its charges in one bill', async ({
    assert,
  }) => {
    await makeBills(DateTime.utc())
    const [large, small] = await Promise.all([makeCustomer(), makeCustomer()])
    await chargeMany(large.id, TARGET_ROWS_PER_TRANSACTION + 5)
    await charge(small.id, [{ cost: '2' }])
    assert.equal(await makeBills(DateTime.utc()), 2)
    const [bill] = await billsOf(large.id)
    assert.equal(Number(bill.amount), (TARGET_ROWS_PER_TRANSACTION + 5) / 100)
    assert.lengthOf(await billsOf(small.id), 1)
  })

  test('reads at most one batch of charges to find the end of a batch', async ({ assert }) => {
    const customer = await makeCustomer()
    const trx = await db.transaction()
    try {
      const read = async () => {
        const { rows } = await trx.rawQuery(
          `select seq_tup_read + idx_tup_fetch as many from pg_stat_xact_user_tables
           where relname = 'bill_charges'`
        )
        return Number(rows[0].many)
      }
      await chargeMany(customer.id, 5 * TARGET_ROWS_PER_TRANSACTION, trx)
      const before = await read()
      const { upTo } = await findNextAccountRange(ACCOUNTS_WITH_OPEN_CHARGES_QUERY, trx)
      assert.equal(Number(upTo), customer.id)
      assert.isAtMost((await read()) - before, TARGET_ROWS_PER_TRANSACTION)
    } finally {
      await trx.rollback()
    }
  })

  test('lists accounts that it skipped because a resource was not delivered yet', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const instance = await makeInstance(customer)
    await db.from('server_instances').where('id', instance.id).update({ status: 'failed' })
    const began = DateTime.utc().minus({ days: 3 })
    const sold = { subjectType: 'server_instance', subjectId: instance.id, period: 'month' }
    const subscription = await Subscription.create({
      ...sold,
      accountId: customer.id,
      packageVersionId: instance.packageVersionId,
      price: '31',
      renewalPrice: '31',
      startedAt: began,
      anchoredAt: began,
      renewsAt: began.plus({ months: 1 }),
    } as never)
    const mine = async () => {
      await db.from('settings').where('key', 'billing_from').update({ value: '"2019-01-01"' })
      const all = await listSkippedAccounts(DateTime.utc())
      return all.filter(({ account_id: id }) => id === customer.id)
    }
    const [left] = await mine()
    assert.deepEqual([left.reason, Number(left.waits)], [`Not delivered yet: ${instance.name}`, 31])
    // The deleted subscription was not delivered, but no longer delays the bill.
    await subscription.merge({ endedAt: DateTime.utc(), endReason: 'deleted' }).save()
    assert.lengthOf(await mine(), 0)
  })

  test('its preview compares each account with the month before', async ({ assert }) => {
    const now = DateTime.utc()
    const [up, gone] = await Promise.all([makeCustomer(), makeCustomer()])
    for (const one of [up, gone]) await makeBill(one, [{ cost: '10' }], now.minus({ months: 1 }))
    await charge(up.id, [{ cost: '11.5' }])
    const changeOf = async ({ id, name }: { id: number; name: string }, percent: number) => {
      const found = await previewBillingRun(now, asked({ search: name, length: '500' }), percent)
      return found.accounts.find((row) => row.account_id === id)?.change
    }
    assert.equal(await changeOf(up, 10), 'up')
    assert.isUndefined(await changeOf(up, 20))
    assert.equal(await changeOf(gone, 20), 'gone')
  })
})

const chargeMany = (
  accountId: number,
  many: number,
  client: QueryClientContract = db.connection()
) =>
  client.rawQuery(
    `insert into bill_charges (account_id, source, type, name, bill_type, billing_period, quantity, unit_price, cost)
     select ?, 'many:' || ? || ':' || n, 'vault', 'photos', 'Requests', '2026-10', 1, 0.01, 0.01
     from generate_series(1, ?) n`,
    [accountId, randomUUID(), many]
  )

const linesOf = (accounts: number[]) => db.from('bill_charges').whereIn('account_id', accounts)

async function runningRuns(): Promise<number> {
  const [row] = await db
    .from('billing_runs')
    .where('status', 'running')
    .whereNotNull('operation_id')
    .count('* as total')
  return Number(row.total)
}
