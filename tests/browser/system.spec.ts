import Operation from '#core/models/operation'
import { defineOperation, startOperation } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { defineSchedule, startSchedules } from '#core/schedules/schedules'
import { openBrowser, pictures, signInThroughPage, visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { unique } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

const mended = new Set<string>()
const breaking = defineOperation<{ name: string }>({
  kind: 'test.breaking',
  lane: 'guest',
  steps: [{ key: 'look', label: 'Look for it', run: async () => {} }],
  async result({ name }) {
    if (!mended.has(name)) throw new Error('Cannot read properties of undefined (reading “port”)')
    return {}
  },
})

/** Work that broke again and again, as the worker leaves it. */
async function stuckWork(accountId: number): Promise<string> {
  const name = unique('site')
  const subject = { type: 'test', id: randomUUID() }
  const { id } = await startOperation(
    breaking,
    { name },
    { title: `Setting up ${name}`, accountId, subject }
  )
  for (let attempt = 0; attempt < 5; attempt++) await runSteps(id)
  return name
}

test.group('System', () => {
  test('stuck work is seen by staff, retried or ended; schedules tell what they did last', async () => {
    const customer = await makeCustomer({ name: 'Customer of a name that is rather long' })
    // Each try has its own: what a schedule did stays in the list.
    const label = unique('Fails whenever it is asked')
    const [first, second] = [await stuckWork(customer.id), await stuckWork(customer.id)]
    // Nobody takes it up: it runs as long as this test.
    await startOperation(
      breaking,
      { name: first },
      {
        title: 'Waiting for its turn',
        accountId: customer.id,
        subject: { type: 'test', id: randomUUID() },
      }
    )
    const schedule = defineSchedule({
      name: `test.${randomUUID()}`,
      label,
      every: 60,
      run: async () => {
        throw new Error('No space left on device')
      },
    })
    const stop = startSchedules([schedule])
    const office = await openBrowser()
    const desk = await openBrowser()
    const home = await openBrowser()
    const { page } = office
    try {
      await signInThroughPage(page, await makeStaff('administrator'))
      await page.getByRole('button', { name: /^Administration/ }).click()
      await page.getByRole('link', { name: /^System/ }).click()
      const work = page.getByRole('table', { name: 'Work', exact: true })
      const row = work.getByRole('row', { name: new RegExp(first) })
      await row.getByText(customer.name).waitFor()
      await row.getByText(/^5 attempts: Cannot read properties/).waitFor()
      await pictures(page, 'system')
      await page.setViewportSize({ width: 390, height: 844 })
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
      await page.setViewportSize({ width: 1280, height: 800 })

      await page.getByRole('tab', { name: 'Schedules' }).click()
      const schedules = page.getByRole('table', { name: 'Schedules' })
      await schedules
        .getByRole('row', { name: new RegExp(label) })
        .getByText(/No space left on device/)
        .waitFor({ timeout: 30_000 })
      await schedules.getByRole('row', { name: /Measures hosts and instances/ }).waitFor()
      await pictures(page, 'system-schedules')
      await page.getByRole('button', { name: /^\d+ running, \d+ failed$/ }).waitFor()
      await page.getByRole('button', { name: /^Failed/ }).click()
      await schedules.getByRole('row', { name: /Fails whenever it is asked/ }).waitFor()
      await page.getByRole('tab', { name: 'Work' }).click()

      mended.add(first)
      await row.getByRole('button', { name: /^Retry/ }).click()
      await page.getByText('It goes on where it was.').waitFor()
      const again = await Operation.findByOrFail('title', `Setting up ${first}`)
      await runSteps(again.id)
      await eventually(async () => assert.equal(await row.count(), 0), 30_000)

      const other = work.getByRole('row', { name: new RegExp(second) })
      await other.getByRole('button', { name: /^End/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(`End "Setting up ${second}" as failed?`, { exact: false }).waitFor()
      await pictures(page, 'system-end')
      await dialog.getByRole('button', { name: 'End it' }).click()
      await other.getByText('Failed').waitFor()
      assert.match(
        (await other.getByRole('button', { name: /^Retry/ }).getAttribute('aria-description'))!,
        /not stuck/
      )

      const third = await stuckWork(customer.id)
      await signInThroughPage(desk.page, await makeStaff('support'))
      await visit(desk.page, '/admin/system')
      const button = desk.page.getByRole('button', { name: `Retry Setting up ${third}` })
      assert.match((await button.getAttribute('aria-description'))!, /Only administrators/)

      await signInThroughPage(home.page, customer)
      await home.page.getByRole('button', { name: /failed/ }).click()
      await home.page
        .getByText(/our staff have been told of it/)
        .first()
        .waitFor()
      await pictures(home.page, 'stuck-tray')
    } finally {
      await stop()
      for (const { context } of [office, desk, home]) await context.close()
      await Operation.query().where('kind', breaking.kind).delete()
    }
  })
})
