import { ServerInstance } from '#instances/public'
import { start as startGateway } from '#start/roles/gateway'
import { waitForHydration, openBrowser, takeScreenshot, visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import {
  createHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import {
  MACHINE_TIMEOUT_MS,
  registerAccount,
  waitForActiveInstance,
} from '#tests/support/browser_steps'
import { freshEmail } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET

test.group('First use of Berth', (group) => {
  const stops: (() => Promise<unknown>)[] = []

  group.setup(async () => {
    if (!socket) return
    stops.push(await disableOtherHosts())
    const host = await createHost(socket)
    stops.push(() => retireHosts(host))
    stops.push(await startWorker(), (await startGateway()).stop)
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('a visitor signs up, orders an instance, opens its shell and deletes it', async () => {
    const option = await createSmallPackage('regular', { memoryMb: 512, diskGb: 4 })
    const name = uniqueName('web')
    const { page } = await openBrowser()
    await page.addInitScript(() => {
      // xterm writes the screen's text into the page only in screen reader mode.
      localStorage.setItem('berth-terminal-screen-reader', 'true')
    })
    try {
      await visit(page, '/')
      await page.getByRole('link', { name: 'Get Started' }).click()
      await registerAccount(page, freshEmail('captain'))
      await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
      await order(page, name, option.name)
      await waitForActiveInstance(page, name)
      await takeScreenshot(page, 'instance-list')
      await manage(page, name)
      await askUname(page)
      await remove(page, name)
    } finally {
      await option.merge({ offered: false }).save()
    }
  })
    .skip(!socket, 'needs an Incus: set INCUS_SOCKET')
    .timeout(2 * MACHINE_TIMEOUT_MS)
})

async function order(page: Page, name: string, option: string) {
  await visit(page, '/server-instance/list')
  await page.getByRole('button', { name: 'Create New Instance' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create New Instance' })
  // The form turns the typed text into a valid name.
  await form.getByLabel('Name').fill(name.toUpperCase().replaceAll('-', ' '))
  assert.equal(await form.getByLabel('Name').inputValue(), name)
  assert.ok(await form.getByRole('radio', { name: 'Bronze', exact: true }).isChecked())
  await form.getByRole('radio', { name: option }).check()
  await form
    .getByRole('status')
    .filter({ hasText: /৳[\d,]+\.\d\d.*for the first month/ })
    .waitFor()
  await form.getByRole('radio', { name: 'Year', exact: true }).check()
  await form.getByRole('status').filter({ hasText: 'for the first year' }).waitFor()
  await form.getByRole('radio', { name: 'Month', exact: true }).check()
  await takeScreenshot(page, 'instance-order')
  await form.getByRole('button', { name: 'Create instance' }).click()
  await form.waitFor({ state: 'hidden' })
}

async function manage(page: Page, name: string) {
  await page.getByRole('link', { name: `Manage ${name}` }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  for (const tab of ['Metrics', 'Terminal', 'Information']) {
    await page.getByRole('tab', { name: tab }).waitFor()
  }
  assert.equal(await page.getByRole('tab', { name: 'Domain List' }).count(), 0)
  await takeScreenshot(page, 'instance-details')
}

async function askUname(page: Page) {
  await page.getByRole('tab', { name: 'Terminal' }).click()
  const terminal = page.getByRole('region', { name: /^Terminal - / })
  await terminal
    .getByRole('status')
    .filter({ hasText: 'Connected' })
    .first()
    .waitFor({ timeout: MACHINE_TIMEOUT_MS })
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.type('uname -a')
  await page.keyboard.press('Enter')
  await eventually(async () => {
    const shown = await page.locator('.xterm-accessibility-tree').innerText()
    assert.match(shown.replaceAll('\n', ''), /Linux \S+ .*GNU\/Linux/)
  })
  await takeScreenshot(page, 'instance-terminal')

  // Another tab hides the terminal, but its shell keeps running.
  await page.getByRole('tab', { name: 'Information' }).click()
  await terminal.waitFor({ state: 'hidden' })
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await eventually(async () =>
    assert.match(await page.locator('.xterm-accessibility-tree').innerText(), /uname -a/)
  )
}

async function remove(page: Page, name: string) {
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Delete ${name}` })
  await dialog.getByRole('textbox').fill(`${name}-not`)
  await dialog.getByRole('button', { name: 'Delete instance' }).click()
  await dialog
    .getByText('Instance name does not match. Please type the correct instance name to confirm.')
    .waitFor()
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: 'Delete instance' }).click()
  await page.getByRole('heading', { name: 'Server Instances', level: 1 }).waitFor()
  await waitForHydration(page)
  await eventually(async () => {
    const row = await ServerInstance.query().where('name', name).orderBy('id', 'desc').firstOrFail()
    assert.equal(row.status, 'deleted')
  }, MACHINE_TIMEOUT_MS)
  await page.reload()
  await page.getByText('No server instances yet').waitFor()
}
