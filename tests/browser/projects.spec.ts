import { Project } from '#projects/public'
import { makeHost, makeInstance } from '#projects/tests/fixtures'
import type Person from '#identity/models/person'
import { openBrowser, picture, signInThroughPage, toast, visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { retire } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { Incus } from '#packages/incus/main'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET
/** For work of the machine itself. */
const MACHINE_MS = 240_000

/** What somebody comes for: a site and an app that answer, seen and managed in the browser. */
test.group('Projects', (group) => {
  if (!socket) {
    test('projects', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  const incus = Incus.local(socket)
  const system = `project-pages-${randomUUID().slice(0, 8)}`
  let customer: Person
  let instanceName: string

  group.setup(async () => {
    const profile = await incus.profiles.get('default')
    const wanted = {
      name: system,
      image: 'berth-base',
      config: { 'limits.cpu': '1', 'limits.memory': '768MiB' },
      devices: { root: { ...profile.devices.root!, size: '4GiB' } },
      start: true,
    }
    await (await incus.instances.create(wanted)).wait(120)
    await eventually(async () => {
      const argv = ['systemctl', 'is-active', 'apache2']
      const { exitCode } = await incus.instances.exec(system, argv, { timeout: 30 })
      if (exitCode !== 0) throw new Error('Apache is not up yet')
    }, MACHINE_MS)
    const host = await makeHost(socket)
    customer = await makeCustomer()
    const instance = await makeInstance(customer, { systemId: system, hostInstanceId: host.id })
    instanceName = instance.name
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await instance.merge({ status: 'deleted' }).save()
      await retire(host)
      await (await incus.instances.setState(system, 'stop', { force: true })).wait(120)
      await (await incus.instances.delete(system)).wait(120)
      await incus.close()
    }
  })

  const add = async (page: Page, name: string, stack: string) => {
    await visit(page, '/project/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    await form.getByLabel('Server Instance').selectOption({ label: `${instanceName} · 192.0.2.7` })
    await form.getByLabel('App Stack').selectOption(stack)
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Path').fill(name.toLowerCase())
    await picture(page, `project-form-${name}`)
    await form.getByRole('button', { name: 'Create project' }).click()
    await toast(page, `Project ${name} is being set up.`)
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    const { id } = await Project.query().where({ customerId: customer.id, name }).firstOrFail()
    return id
  }
  /** Work on the project is over and the page says so. */
  const rest = (page: Page) =>
    page
      .getByRole('region', { name: /^(Setting up|Serving|Starting|Ending) / })
      .waitFor({ state: 'hidden', timeout: MACHINE_MS })

  test('a site gets an address, and what the server refuses is said', async () => {
    const { context, page } = await openBrowser()
    try {
      await signInThroughPage(page, customer)
      await visit(page, '/project/list')
      await page.getByText('No projects yet').waitFor()
      await add(page, 'Plain', 'static')
      await rest(page)
      await picture(page, 'project-details')

      await page.getByRole('tab', { name: 'VH Setup' }).click()
      await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
      const form = page.getByRole('dialog', { name: 'Virtual Host Setup' })
      await form.getByLabel('Url Type').selectOption('port')
      await form.getByLabel('Server Admin Email').fill('admin@example.com')
      await form.getByLabel('Port', { exact: false }).last().fill('8081')
      await form.getByText('port_8081.conf').waitFor()
      await picture(page, 'project-virtual-host-form')

      const broken = '/etc/apache2/conf-enabled/zz-broken.conf'
      await incus.instances.pushFile(system, broken, Buffer.from('NoSuchDirective on\n'))
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The last change did not work').waitFor({ timeout: MACHINE_MS })
      await page.getByText("Invalid command 'NoSuchDirective'").first().waitFor()
      await picture(page, 'project-virtual-host-refused')

      await incus.instances.deleteFile(system, broken)
      await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
      await form.getByLabel('Url Type').selectOption('subdomain')
      await form.getByLabel('Server Admin Email').fill('admin@example.com')
      await form.getByLabel('Domain').fill(`${system}.example.com`)
      await form.getByRole('button', { name: 'Save' }).click()
      await form.waitFor({ state: 'hidden' })
      await rest(page)
      const domain = page.getByRole('region', { name: 'Domain', exact: true })
      await domain.getByText(`${system}.example.com`).first().waitFor()
      await picture(page, 'project-virtual-host')
    } finally {
      await context.close()
    }
  }).timeout(3 * MACHINE_MS)

  test('an app is watched, stopped and started; deleted is for good', async () => {
    const { context, page } = await openBrowser()
    try {
      await signInThroughPage(page, customer)
      await add(page, 'App', 'node')
      await rest(page)
      await page.getByRole('tab', { name: 'Node Process' }).click()
      const row = page.getByRole('row').filter({ hasText: 'App' })
      await row.getByText('Online').waitFor()
      assert.equal(await row.getByRole('button', { name: 'Start App', exact: true }).count(), 0)
      await picture(page, 'project-processes')
      await row.getByRole('button', { name: 'Logs of App' }).click()
      await page.getByRole('log').getByText('node server.js').waitFor()
      await picture(page, 'project-logs')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

      await row.getByRole('button', { name: 'Stop App', exact: true }).click()
      await page.getByText('Sure to stop process (App)?').waitFor()
      await page.getByRole('button', { name: 'Stop process' }).click()
      await row.getByText('Stopped').waitFor()
      await row.getByRole('button', { name: 'Delete App' }).waitFor()
      await row.getByRole('button', { name: 'Start App', exact: true }).click()
      await row.getByText('Online').waitFor()

      await visit(page, '/project/list')
      await page.getByLabel('Status of App').selectOption('deleted')
      await page.getByText('Sure to delete project (App)?').waitFor()
      await page.getByRole('button', { name: 'Delete project' }).click()
      await page.getByLabel('Status of App').waitFor({ state: 'hidden' })
      await page.getByRole('row').filter({ hasText: 'App' }).getByText('Deleted').waitFor()
      await picture(page, 'project-list')
    } finally {
      await context.close()
    }
    const phone = await openBrowser({ width: 390, scheme: 'dark' })
    try {
      await signInThroughPage(phone.page, customer)
      await visit(phone.page, '/project/list')
      await picture(phone.page, 'project-list-phone')
      await phone.page.getByRole('link', { name: 'Plain', exact: true }).click()
      await phone.page.getByRole('heading', { name: 'Plain', level: 1 }).waitFor()
      await phone.page.getByRole('tab', { name: 'VH Setup' }).click()
      await picture(phone.page, 'project-phone')
    } finally {
      await phone.context.close()
    }
    const staff = await openBrowser({ scheme: 'dark' })
    try {
      await signInThroughPage(staff.page, await makeStaff())
      await visit(staff.page, '/admin/project/list?search=plain')
      await picture(staff.page, 'admin-project-list')
      await staff.page.getByRole('link', { name: 'Plain', exact: true }).first().click()
      await staff.page.getByRole('tab', { name: 'Setup' }).waitFor()
      await picture(staff.page, 'admin-project')
    } finally {
      await staff.context.close()
    }
  }).timeout(3 * MACHINE_MS)
})
