import Operation from '#core/models/operation'
import { defineOperation, startOperation } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { allAlertRules, evaluateAlertRules } from '#core/monitoring/alerts'
import { recordProcessReports } from '#core/monitoring/measurements'
import { defineSchedule, startSchedules } from '#core/schedules/schedules'
import { serveProcessMetrics } from '#packages/telemetry/metrics'
import {
  openBrowser,
  takeScreenshots,
  signInThroughPage,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { overrideSettings } from '#tests/support/override_settings'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const mended = new Set<string>()
const breaking = defineOperation<{ name: string }>({
  kind: 'test.breaking',
  queue: 'guest',
  steps: [{ key: 'look', label: 'Look for it', run: async () => {} }],
  async result({ name }) {
    if (!mended.has(name)) throw new Error('Cannot read properties of undefined (reading “port”)')
    return {}
  },
})

/** Creates an operation that is stuck after five failed attempts. Returns the name in its title. */
async function stuckWork(accountId: number): Promise<string> {
  const name = uniqueName('site')
  const subject = { type: 'test', id: randomUUID() }
  const { id } = await startOperation(
    breaking,
    { name },
    { title: `Setting up ${name}`, accountId, subject }
  )
  for (let attempt = 0; attempt < 5; attempt++) await runSteps(id)
  return name
}

/** Waits until the page, with its charts, is as wide as a phone. */
const isAsWideAsPhone = (page: Page) =>
  eventually(async () =>
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  )

test.group('System', () => {
  test('staff see stuck work, retry or end it, and see the last run of each schedule', async () => {
    const customer = await makeCustomer({ name: 'Customer of a name that is rather long' })
    // Unique for each attempt, because schedules stay in the list.
    const label = uniqueName('Fails whenever it is asked')
    const [first, second] = [await stuckWork(customer.id), await stuckWork(customer.id)]
    // This test runs no worker, so the operation stays queued.
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
      await page.getByRole('tab', { name: 'Operations' }).click()
      const work = page.getByRole('table', { name: 'Operations', exact: true })
      const row = work.getByRole('row', { name: new RegExp(first) })
      await row.getByText(customer.name).waitFor()
      await row.getByText(/^5 attempts: Cannot read properties/).waitFor()
      await takeScreenshots(page, 'system')
      await page.setViewportSize({ width: 390, height: 844 })
      await isAsWideAsPhone(page)
      await page.setViewportSize({ width: 1280, height: 800 })

      await page.getByRole('tab', { name: 'Schedules' }).click()
      const schedules = page.getByRole('table', { name: 'Schedules' })
      await schedules
        .getByRole('row', { name: new RegExp(label) })
        .getByText(/No space left on device/)
        .waitFor()
      await schedules
        .getByRole('row', { name: /Measures the resource use of hosts and instances/ })
        .waitFor()
      await takeScreenshots(page, 'system-schedules')
      await page.getByRole('button', { name: /^\d+ running, \d+ failed$/ }).waitFor()
      await page.getByRole('button', { name: /^Failed/ }).click()
      await schedules.getByRole('row', { name: /Fails whenever it is asked/ }).waitFor()
      await page.getByRole('tab', { name: 'Operations' }).click()

      mended.add(first)
      await row.getByRole('button', { name: /^Retry/ }).click()
      await page.getByText('The operation is running again.').waitFor()
      const again = await Operation.findByOrFail('title', `Setting up ${first}`)
      await runSteps(again.id)
      await eventually(async () => assert.equal(await row.count(), 0))

      const other = work.getByRole('row', { name: new RegExp(second) })
      await other.getByRole('button', { name: /^End/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(`End "Setting up ${second}" as failed?`, { exact: false }).waitFor()
      await takeScreenshots(page, 'system-end')
      await dialog.getByRole('button', { name: 'End operation' }).click()
      await other.getByText('Failed').waitFor()
      assert.match(
        (await other.getByRole('button', { name: /^Retry/ }).getAttribute('aria-description'))!,
        /not stuck/
      )

      const third = await stuckWork(customer.id)
      await signInByRequest(desk.page, await makeStaff('support'))
      await visit(desk.page, '/admin/system?tab=work')
      const button = desk.page.getByRole('button', { name: `Retry Setting up ${third}` })
      assert.match((await button.getAttribute('aria-description'))!, /Only administrators/)

      await signInThroughPage(home.page, customer)
      await home.page.getByRole('button', { name: /failed/ }).click()
      await home.page
        .getByText(/Our staff have been notified/)
        .first()
        .waitFor()
      await takeScreenshots(home.page, 'stuck-tray')
    } finally {
      await stop()
      for (const { context } of [office, desk, home]) await context.close()
      await Operation.query().where('kind', breaking.kind).delete()
    }
  })

  test('staff see the system status, silence an alert, and choose its recipients', async () => {
    const customer = await makeCustomer()
    const name = await stuckWork(customer.id)
    const folder = await mkdtemp(join(tmpdir(), 'berth-metrics-'))
    const undo = overrideSettings({ METRICS_FOLDER: folder })
    const close = await serveProcessMetrics({ role: 'web', version: '1.0.0', folder })
    await recordProcessReports()
    await anHour()
    const stuck = allAlertRules().find((alert) => alert.name === 'core.stuck')!
    await evaluateAlertRules([stuck])
    const office = await openBrowser()
    const { page } = office
    try {
      await signInByRequest(page, await makeStaff('administrator'))
      await visit(page, '/admin/system')
      const needs = page.getByRole('region', { name: 'Needs your attention' })
      const mine = needs.getByRole('listitem').filter({ hasText: name })
      await mine.getByText('docs/runbooks/stuck_work.md').waitFor()
      await page
        .getByRole('table', { name: 'Processes' })
        .getByRole('row', { name: /web.*Ready/ })
        .first()
        .waitFor()
      await page.getByRole('img', { name: /^Requests, the last hour: Requests maximum/ }).waitFor()
      await takeScreenshots(page, 'system-health')
      await page.setViewportSize({ width: 390, height: 844 })
      await isAsWideAsPhone(page)
      await page.setViewportSize({ width: 1280, height: 800 })

      await mine.getByRole('button', { name: 'Silence Stuck operation' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('The builders are at it until noon.')
      await takeScreenshots(page, 'system-silence')
      await dialog.getByRole('button', { name: 'Silence alert', exact: true }).click()
      await mine.getByText('The builders are at it until noon.').waitFor()
      await mine.getByRole('button', { name: 'End silence of Stuck operation' }).click()
      await mine.getByRole('button', { name: 'Silence Stuck operation' }).waitFor()

      await page.getByRole('tab', { name: 'Alerts' }).click()
      const alerts = page.getByRole('table', { name: 'Alerts' })
      await alerts
        .getByRole('row', { name: new RegExp(name) })
        .getByText('Firing')
        .waitFor()
      await takeScreenshots(page, 'system-alerts')

      await visit(page, '/admin/settings/alerts')
      await page.getByLabel('Recipients').fill('watch@example.com')
      await page.getByLabel('Webhook', { exact: true }).fill('https://example.com/alerts')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/^whsec_/).waitFor()
      await takeScreenshots(page, 'alert-settings')
      await page.getByRole('button', { name: 'Send test' }).click()
      await page.getByText('Test alert sent.').waitFor()
    } finally {
      await close()
      undo()
      await office.context.close()
      await Operation.query().where('kind', breaking.kind).delete()
      for (const table of ['alert_settings', 'alerts', 'alert_silences', 'processes'])
        await db.from(table).delete()
      await db.from('monitoring_minutes').where('machine_id', machine).delete()
      await rm(folder, { recursive: true })
    }
  })
})

const machine = randomUUID()

/** Saves metrics of one hour, as the worker of a machine records them. */
async function anHour(): Promise<void> {
  const now = Math.floor(Date.now() / 60_000) * 60_000
  const minutes = Array.from({ length: 60 }, (_, back) => {
    const wave = 1 + Math.sin(back / 6) / 2 + (back % 7) / 20
    const fast = Math.round(300 * wave)
    return {
      machine_id: machine,
      at: new Date(now - back * 60_000),
      classes: [fast, fast, fast, 40, 12, 6, back % 9 === 0 ? 9 : 2, 0, 0, 0, 0, 0, 0],
      faults: back === 20 ? 30 : 0,
      lag: 0.012 * wave,
      memory: 3e8 + back * 1e5,
      waited: back % 13 === 0 ? 4 : 0,
      disk_used: 41e9 - back * 1e7,
      disk_total: 100e9,
      database_bytes: 2.4e9,
      connections: Math.round(14 * wave),
      most_connections: 97,
    }
  })
  await db.table('monitoring_minutes').multiInsert(minutes)
}
