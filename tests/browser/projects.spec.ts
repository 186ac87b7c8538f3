import { ServerInstance } from '#instances/public'
import { findPublicEdgeAddress } from '#edge/edge_addresses'
import { edgeSettings } from '#edge/settings'
import { Project } from '#projects/public'
import { makeInstance } from '#projects/tests/fixtures'
import type Person from '#identity/models/person'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import {
  waitForHydration,
  takeScreenshot,
  waitForToast,
  visit,
  type BrowserOptions,
  openPageAs,
} from '#tests/support/browser'
import { fetchSiteOnceServed, updateEdge } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { startSiteMachine, type SiteMachine } from '#tests/support/site_machine'
import type { Incus } from '#packages/incus/main'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET
/** Path of an invalid file. It makes Apache reject its whole configuration. */
const broken = '/etc/apache2/conf-enabled/zz-broken.conf'
const CLEAN_UP_SCRIPT = `rm -rf /var/www/public_html/* ${broken}
[ ! -e /home/berth/.pm2/pm2.pid ] || sudo -u berth -H pm2 delete all || true`
const MACHINE_TIMEOUT_MS = 480_000

test.group('Projects', (group) => {
  if (!socket) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  if (!edgeSettings()) {
    test('skipped without Caddy', () => {}).skip(true, 'needs a Caddy: set EDGE_ADMIN')
    return
  }
  let machine: SiteMachine
  let system: string
  let incus: Incus
  let where: Partial<ServerInstance>
  let customer: Person
  let instanceName: string
  let sharedName: string

  const inside = async (...argv: string[]) => {
    const { exitCode, errors } = await machine.inside(...argv)
    if (exitCode !== 0) throw new Error(`${argv.join(' ')}: ${errors}`)
  }

  group.setup(async () => {
    machine = await startSiteMachine(socket, { memory: '768MiB', disk: '4GiB' })
    ;({ system, incus } = machine)
    const { hostInstanceId, privateIp, ip, ports, username, sshKey, hostKey } = machine.instance
    where = { systemId: system, instanceType: 'regular', hostInstanceId, privateIp, ip, ports }
    where = { ...where, username, sshKey, hostKey }
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await ServerInstance.query().where('systemId', system).update({ status: 'deleted' })
      await machine.close()
    }
  })

  /** Starts with a new customer and an empty web root, because earlier attempts of a test leave files. */
  const startAnew = async () => {
    const gone = { status: 'deleted', systemId: null }
    await ServerInstance.query().where('systemId', system).update(gone)
    await inside('sh', '-c', CLEAN_UP_SCRIPT)
    customer = await makeCustomer()
    instanceName = (await makeInstance(customer, where)).name
    sharedName = (await makeInstance(customer)).name
  }

  const add = async (page: Page, name: string, stack: string) => {
    await visit(page, '/project/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    await form.getByLabel('Server Instance').selectOption({ label: `${sharedName} · 192.0.2.7` })
    await form.getByLabel('App Stack').selectOption('wordpress')
    const warning = form.getByText('Do not install one on a shared instance')
    await warning.waitFor()
    await takeScreenshot(page, 'project-form-warning')
    const label = `${instanceName} · ${where.ip}`
    await form.getByLabel('Server Instance').selectOption({ label })
    await warning.waitFor({ state: 'hidden' })
    await form.getByLabel('App Stack').selectOption(stack)
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Path').fill(name.toLowerCase())
    await takeScreenshot(page, `project-form-${name}`)
    await form.getByRole('button', { name: 'Create project' }).click()
    await waitForToast(page, `Project ${name} is being set up.`)
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    const { id } = await Project.query().where({ accountId: customer.id, name }).firstOrFail()
    return id
  }
  /** Waits until the project's page shows no running operation. */
  const rest = (page: Page) =>
    page
      .getByRole('region', { name: /^(Setting up|Starting|Stopping) / })
      .waitFor({ state: 'hidden', timeout: MACHINE_TIMEOUT_MS })

  /** Opens the file manager with the project's folder. It opens in a new tab. */
  const openFiles = async (page: Page) => {
    const link = page.getByRole('main').getByRole('link', { name: 'File Manager' })
    const [files] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await files.getByRole('main').getByText('index.html').first().waitFor()
    await waitForHydration(files)
    await takeScreenshot(
      files,
      `project-files-${new URL(files.url()).pathname.replaceAll('/', '-')}`
    )
    await files.close()
  }

  const pictures = async (pages: Record<string, string>, shown: string) => {
    const views: [string, Person, string, BrowserOptions][] = [
      ['phone', customer, '', { width: 390, scheme: 'dark' }],
      ['admin', await makeStaff(), '/admin', { scheme: 'dark' }],
    ]
    for (const [view, person, prefix, options] of views) {
      const page = await openPageAs(person, options)
      for (const [name, path] of Object.entries(pages)) {
        await visit(page, `${prefix}${path}`)
        await page.getByRole('main').getByText(shown).first().waitFor()
        await takeScreenshot(page, `project-${view}-${name}`)
        if (name === 'details') await openFiles(page)
      }
    }
  }

  test('a site gets an address, and a rejection by the server is shown', async () => {
    await startAnew()
    const name = `site-${randomUUID().slice(0, 8)}.example.com`
    const page = await openPageAs(customer)
    await visit(page, '/project/list')
    await page.getByText('No projects yet').waitFor()
    const id = await add(page, 'Plain', 'static')
    await rest(page)
    await takeScreenshot(page, 'project-details')
    await openFiles(page)

    await page.getByRole('tab', { name: 'VH Setup' }).click()
    await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
    const form = page.getByRole('dialog', { name: 'Virtual Host Setup' })
    await form.getByLabel('Url Type').selectOption('port')
    await form.getByLabel('Server Admin Email').fill('admin@example.com')
    await form.getByLabel('Port', { exact: false }).last().fill('8081')
    await form.getByText('port_8081.conf').waitFor()
    await takeScreenshot(page, 'project-virtual-host-form')

    await incus.instances.pushFile(system, broken, 'NoSuchDirective on\n')
    await form.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText("Invalid command 'NoSuchDirective'")
      .first()
      .waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await takeScreenshot(page, 'project-virtual-host-refused')

    await incus.instances.deleteFile(system, broken)
    await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
    await form.getByLabel('Url Type').selectOption('subdomain')
    await form.getByLabel('Server Admin Email').fill('admin@example.com')
    await form.getByLabel('Domain').fill(name)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'hidden' })
    await rest(page)
    const domain = page.getByRole('region', { name: 'Domain', exact: true })
    await domain.getByText(`A ${await findPublicEdgeAddress()}`, { exact: true }).waitFor()
    // The page refreshes automatically until the edge serves the domain.
    await eventually(async () =>
      assert.match((await fetchSiteOnceServed(name)).text, /<h1>Plain<\/h1>/)
    )
    await updateEdge(name)
    await domain.getByText('Active', { exact: true }).waitFor()
    await domain.getByText(/^Valid until \w+ \d+, \d{4}/).waitFor()
    await takeScreenshot(page, 'project-virtual-host')
    const line = {
      ts: Date.now() / 1000 + 60,
      error: 'no such record in DNS',
      identifier: name,
    }
    await appendFile(edgeSettings()!.tlsLog, `${JSON.stringify(line)}\n`)
    await updateEdge(name)
    await page.reload()
    await waitForHydration(page)
    await domain.getByText('but its renewal fails').waitFor()
    await domain.getByText('Details').click()
    await domain.getByText('no such record in DNS').waitFor()
    await takeScreenshot(page, 'project-domain-error')

    // Makes the operation fail, so that it can be retried.
    await incus.instances.pushFile(system, broken, 'NoSuchDirective on\n')
    await visit(page, '/project/list')
    await page.getByLabel('Status of Plain').click()
    await page.getByRole('menuitem', { name: 'Inactive' }).click()
    await waitForToast(page, 'Project status changed.')
    await page.getByRole('link', { name: 'Plain', exact: true }).click()
    const retry = page.getByRole('button', { name: 'Retry', exact: true })
    await retry.waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await page.getByText("Invalid command 'NoSuchDirective'").first().waitFor()
    await takeScreenshot(page, 'project-retry')
    await incus.instances.deleteFile(system, broken)
    await retry.click()
    await retry.waitFor({ state: 'hidden', timeout: MACHINE_TIMEOUT_MS })
    await rest(page)
    await eventually(async () =>
      assert.doesNotMatch((await fetchSiteOnceServed(name)).text, /<h1>Plain<\/h1>/)
    )
    await pictures(
      {
        list: '/project/list?search=plain',
        details: `/project/${id}`,
        setup: `/project/${id}?tab=virtual-host`,
      },
      'Plain'
    )
  }).timeout(3 * MACHINE_TIMEOUT_MS)

  test('an app is monitored, stopped and started, and its deletion is final', async () => {
    await startAnew()
    const page = await openPageAs(customer)
    const id = await add(page, 'App', 'node')
    await rest(page)
    await page.getByRole('tab', { name: 'Node Process' }).click()
    const row = page.getByRole('row').filter({ hasText: 'App' })
    await row.getByText('Online').waitFor()
    assert.equal(await row.getByRole('button', { name: 'Start App', exact: true }).count(), 0)
    await takeScreenshot(page, 'project-processes')
    await assertAccessibleInBothColorSchemes(page, 'project-processes')
    await row.getByRole('button', { name: 'Logs of App' }).click()
    const log = page.getByRole('log')
    await log.getByText('node server.js').waitFor()
    const path = `/seen-${randomUUID()}`
    await inside('curl', '-s', '-o', '/dev/null', `http://127.0.0.1:3000${path}`)
    await log.getByText(`GET ${path}`).waitFor()
    await takeScreenshot(page, 'project-logs')
    await assertAccessibleInBothColorSchemes(page, 'project-logs')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await pictures({ processes: `/project/${id}?tab=processes` }, 'Online')

    await row.getByRole('button', { name: 'Stop App', exact: true }).click()
    await page.getByText('Sure to stop process (App)?').waitFor()
    await page.getByRole('button', { name: 'Stop process' }).click()
    await row.getByText('Stopped').waitFor()
    await row.getByRole('button', { name: 'Delete App' }).waitFor()
    await row.getByRole('button', { name: 'Start App', exact: true }).click()
    await row.getByText('Online').waitFor()

    await visit(page, '/project/list')
    await page.getByLabel('Status of App').click()
    await page.getByRole('menuitem', { name: 'Deleted' }).click()
    await page.getByText('Sure to delete project (App)?').waitFor()
    await page.getByRole('button', { name: 'Delete project' }).click()
    await page.getByLabel('Status of App').waitFor({ state: 'hidden' })
    await page.getByRole('row').filter({ hasText: 'App' }).getByText('Deleted').waitFor()
    await takeScreenshot(page, 'project-list')
  }).timeout(3 * MACHINE_TIMEOUT_MS)
})
