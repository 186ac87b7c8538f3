import Bill from '#billing/models/bill'
import BillingRun from '#billing/models/billing_run'
import { charge, setMerchantAccount } from '#billing/tests/fixtures'
import { makeBills } from '#billing/charging/make_bills'
import { takeScreenshots, waitForToast, openDashboardAs } from '#tests/support/browser'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { DateTime } from 'luxon'

/** Staff start the run, because the scheduled run may start only ten minutes later. */
test.group('Billing run', (group) => {
  group.setup(() => setMerchantAccount())
  group.each.setup(async () => {
    await BillingRun.query().where('status', 'running').update({ status: 'failed' })
    await makeBills(DateTime.utc())
  })

  test('staff preview a run, start the run, and see the new bills and the skipped customers', async ({
    cleanup,
  }) => {
    cleanup(await startWorker())
    const [grown, fresh, credited] = [
      await makeCustomer(),
      await makeCustomer(),
      await makeCustomer(),
    ]
    await charge(grown.id, [{ cost: '10' }])
    await makeBills(DateTime.utc().minus({ months: 1 }))
    await charge(grown.id, [{ cost: '25' }])
    await charge(fresh.id, [{ cost: '12.50' }, { type: 'vault', name: 'photos', cost: '1.25' }])
    await charge(credited.id, [{ cost: '3' }, { cost: '-7.5' }])
    const staff = await makeStaff()
    const page = await openDashboardAs(staff)
    await page.getByRole('button', { name: /Billing & Payments/ }).click()
    await page.getByRole('link', { name: 'Billing run' }).click()
    await page.getByRole('heading', { name: 'Billing run', level: 1 }).waitFor()
    const compared = page.getByRole('table', { name: 'Accounts' })
    const search = async (name: string) => {
      await page.getByPlaceholder('Search by name').fill(name)
      await compared.getByRole('row').filter({ hasText: name }).waitFor()
      return compared.getByRole('row').filter({ hasText: name })
    }
    await (await search(grown.name)).getByText('Increased').waitFor()
    await (await search(fresh.name)).getByText('New').waitFor()
    await page.getByPlaceholder('Search by name').fill('')
    const skipped = page.getByRole('region', { name: 'Skipped' })
    await skipped.getByText('The account has more credit than charges').first().waitFor()
    await takeScreenshots(page, 'billing-run-preview')

    await page.getByRole('button', { name: 'Run billing' }).click()
    const ask = page.getByRole('dialog', { name: 'Run billing' })
    await ask.getByText('now and email the customers?').waitFor()
    await takeScreenshots(page, 'billing-run-ask', false)
    await ask.getByRole('button', { name: 'Run' }).click()
    await waitForToast(page, 'Billing run started.')
    const runs = page.getByRole('table', { name: 'Recent runs' }).getByRole('row')
    const last = runs.filter({ hasText: staff.name })
    await last.getByText('Done').waitFor()
    for (const [{ id }, amount] of [
      [grown, 25],
      [fresh, 13.75],
    ] as const) {
      const bill = await Bill.query().where('accountId', id).orderBy('id', 'desc').firstOrFail()
      assert.equal(Number(bill.amount), amount)
    }
    assert.equal((await Bill.query().where('accountId', credited.id)).length, 0)
    await last.getByRole('button', { name: 'Details' }).click()
    await page.getByText(`${credited.name}: The account has more credit than charges`).waitFor()
    await takeScreenshots(page, 'billing-run-done')
  })
})
