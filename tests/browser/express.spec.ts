import { Project } from '#projects/public'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import {
  waitForHydration,
  openBrowser,
  takeScreenshots,
  waitForToast,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import {
  MACHINE_TIMEOUT_MS,
  waitForIdleProject,
  uploadToProject,
} from '#tests/support/browser_steps'
import { startSiteMachine, type SiteMachine } from '#tests/support/site_machine'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'

const socket = process.env.INCUS_SOCKET

const files = {
  'package.json': JSON.stringify({
    private: true,
    scripts: { start: 'node server.js' },
    dependencies: { express: '5.1.0' },
  }),
  'server.js': `require('express')()
  .get('/', (_request, response) => response.send('<h1>Express answers</h1>'))
  .listen(process.env.PORT)
`,
}

test.group('Projects | an Express app', (group) => {
  if (!socket) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  let machine: SiteMachine

  group.setup(async () => {
    machine = await startSiteMachine(socket, { memory: '1GiB', disk: '4GiB' })
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await machine.close()
    }
  })

  test('is deployed from its files and answers at its address', async () => {
    const { customer, instance } = machine
    await Project.query().where({ accountId: customer.id }).delete()
    await machine.inside('rm', '-rf', '/var/www/public_html/shop')
    const { context, page } = await openBrowser()
    await signInByRequest(page, customer)
    await visit(page, '/project/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    await form.getByLabel('App Stack').selectOption('node')
    await form.getByLabel('Name').fill('Shop')
    await form.getByLabel('Path').fill('shop')
    await form.getByRole('button', { name: 'Create project' }).click()
    await waitForToast(page, 'Project Shop is being set up.')
    await page.getByRole('link', { name: 'Shop', exact: true }).click()
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor()
    await waitForIdleProject(page)
    await takeScreenshots(page, 'express-no-address')

    await uploadToProject(page, files)
    await eventually(async () => {
      const { output } = await machine.inside('cat', '/var/www/public_html/shop/server.js')
      assert.match(output, /express/)
    })

    await page.getByRole('tab', { name: 'Node Process' }).click()
    await page.getByRole('button', { name: 'Start New Process' }).click()
    const process = page.getByRole('dialog', { name: 'Start New Process' })
    await process.getByLabel('Type').selectOption('build')
    await process.getByLabel('Local Port').fill('4400')
    await process.getByRole('button', { name: 'Start process' }).click()
    await waitForToast(page, 'Starting process Shop…')
    await page.reload()
    await waitForHydration(page)
    await waitForIdleProject(page)

    await page.getByRole('tab', { name: 'VH Setup' }).click()
    await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
    const host = page.getByRole('dialog', { name: 'Virtual Host Setup' })
    // The form suggests the running app.
    assert.equal(await host.locator('select[name=type]').inputValue(), 'reverse_proxy')
    assert.equal(await host.getByLabel('Reverse Proxy Port').inputValue(), '4400')
    await host.getByLabel('Url Type').selectOption('port')
    await host.getByText('No configuration is needed').waitFor()
    await host.getByLabel('Server Admin Email').fill('admin@example.com')
    await takeScreenshots(page, 'express-form', false)
    await host.getByRole('button', { name: 'Save' }).click()
    await host.waitFor({ state: 'hidden' })

    const address = page
      .getByRole('banner')
      .or(page.getByRole('main'))
      .getByRole('link', { name: new RegExp(`^http://${instance.ip}:\\d+$`) })
      .first()
    await waitForIdleProject(page)
    await address.waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await takeScreenshots(page, 'express-details')
    await assertAccessibleInBothColorSchemes(page, 'express-details')
    const [site] = await Promise.all([context.waitForEvent('page'), address.click()])
    await site.getByRole('heading', { name: 'Express answers' }).waitFor()
    await site.close()

    await visit(page, '/project/list')
    await page.getByRole('link', { name: new RegExp(`^${instance.ip}:`) }).waitFor()
    await page.getByRole('button', { name: 'Copy address' }).waitFor()
    await takeScreenshots(page, 'express-list')
  })
    .timeout(3 * MACHINE_TIMEOUT_MS)
    .skip(() => !machine.reached.npm, "the instance cannot reach npm's registry")
})
