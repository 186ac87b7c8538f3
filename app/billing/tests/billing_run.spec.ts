import { startRun } from '#billing/actions/start_run'
import { makeBills } from '#billing/charging/make_bills'
import Bill from '#billing/models/bill'
import BillingRun from '#billing/models/billing_run'
import { billingRun } from '#billing/operations/run'
import { comparedList, lastRuns, previewRun } from '#billing/queries/runs'
import { charge, makeBill } from '#billing/tests/fixtures'
import { chargeAll } from '#billing/charging/run_billing'
import { listRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import type { StepContext } from '#core/operations/operations'
import { OperationRunner } from '#core/operations/runner'
import { eventually } from '#tests/support/eventually'
import { makeCustomer } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const by = { actor: null }
const asked = (query: object) =>
  listRequest({ request: { qs: () => query } } as never, comparedList)
const billsOf = (accountId: number) => Bill.query().where({ accountId }).orderBy('id')
const over = (id: string) =>
  eventually(async () => {
    const operation = await Operation.findOrFail(id)
    if (operation.status !== 'done') throw new Error(`${operation.status}: ${operation.error}`)
    return operation
  })

test.group('The billing run', (group) => {
  group.each.setup(async () => {
    await BillingRun.query()
      .where('status', 'running')
      .update({ status: 'failed', endedAt: DateTime.utc().toSQL() })
  })

  test('makes what its preview said, and a second one nothing', async ({ assert, cleanup }) => {
    await makeBills(DateTime.utc())
    const [one, other, poor] = await Promise.all([makeCustomer(), makeCustomer(), makeCustomer()])
    await charge(one.id, [{ cost: '10.25' }, { cost: '2' }])
    await charge(other.id, [{ cost: '5' }])
    await charge(poor.id, [{ cost: '3' }, { cost: '-7.5' }])
    const { preview, accounts } = await previewRun(DateTime.utc(), asked({ search: one.name }), 20)
    const mine = accounts.find(({ account_id: id }) => id === one.id)
    assert.deepEqual([mine?.change, Number(mine?.now)], ['new', 12.25])
    // Looking changes nothing.
    assert.lengthOf(await billsOf(one.id), 0)
    cleanup(await startWorker())
    const first = await over((await startRun(by)).id)
    assert.equal(first.result?.bills, preview.bills)
    assert.equal(Number(first.result?.total), Number(preview.total))
    assert.lengthOf(await billsOf(one.id), 1)
    assert.lengthOf(await billsOf(poor.id), 0)
    const [report] = await lastRuns()
    const left = report.skipped.find(({ account_id: id }) => id === poor.id)
    assert.deepEqual(
      [left?.reason, Number(left?.waits)],
      ['Has more credit than was charged', -4.5]
    )
    const second = await over((await startRun(by)).id)
    assert.equal(second.result?.bills, 0)
  })

  test('of two that are started at once is one', async ({ assert }) => {
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => startRun(by)))
    assert.lengthOf(
      started.filter(({ status }) => status === 'fulfilled'),
      1
    )
    assert.equal(await runningRuns(), 1)
  })

  test('that was killed in between goes on and is one', async ({ assert, cleanup }) => {
    await makeBills(DateTime.utc())
    const customers = await Promise.all(Array.from({ length: 3 }, () => makeCustomer()))
    for (const { id } of customers) await charge(id, [{ cost: '4' }])
    const { id, input } = await startRun(by)
    // As if the process had ended after the bills were made and before that was written down.
    await chargeAll(DateTime.utc())
    const context = { tell: async () => {}, signal: new AbortController().signal }
    await billingRun.steps[1].run(input as never, context as unknown as StepContext)
    // Not `startWorker`, which gives up what nobody has run yet.
    const runner = new OperationRunner()
    await runner.start()
    cleanup(() => runner.stop())
    const { result } = await over(id)
    assert.equal(result?.bills, 3)
    for (const customer of customers) assert.lengthOf(await billsOf(customer.id), 1)
  })

  test('is compared with the month before', async ({ assert }) => {
    const now = DateTime.utc()
    const [up, gone] = await Promise.all([makeCustomer(), makeCustomer()])
    for (const one of [up, gone]) await makeBill(one, [{ cost: '10' }], now.minus({ months: 1 }))
    await charge(up.id, [{ cost: '11.5' }])
    const changeOf = async ({ id, name }: { id: number; name: string }, percent: number) => {
      const found = await previewRun(now, asked({ search: name, length: '500' }), percent)
      return found.accounts.find((row) => row.account_id === id)?.change
    }
    assert.equal(await changeOf(up, 10), 'up')
    assert.isUndefined(await changeOf(up, 20))
    assert.equal(await changeOf(gone, 20), 'gone')
  })
})

async function runningRuns(): Promise<number> {
  const [row] = await db
    .from('billing_runs')
    .where('status', 'running')
    .whereNotNull('operation_id')
    .count('* as total')
  return Number(row.total)
}
