import { makeBill } from '#billing/tests/fixtures'
import Operation from '#core/models/operation'
import Database from '#databases/models/database'
import Domain from '#edge/models/domain'
import { HostInstance } from '#hosts/public'
import type { ServerInstance } from '#instances/public'
import { saveSamples } from '#metrics/samples'
import { makeHost, makeInstance, makeProject } from '#projects/tests/fixtures'
import {
  showInColorScheme,
  takeScreenshot,
  signInThroughPage,
  visit,
  openDashboardAs,
} from '#tests/support/browser'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'
import { freshEmail, makeCustomer, makeStaff } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import type { Page } from 'playwright-core'

const GiB = 1024 ** 3
const SAMPLE_SITES = [
  { server: 'shop', name: 'Bookshop', subdomain: 'books' },
  { server: 'shop', name: 'Newsletter', subdomain: 'letters' },
  { server: 'school', name: 'School of music', subdomain: 'music' },
]

/**
 * Creates the data for the pictures: a customer with instances, projects and other resources, and three hosts with
 * instances of another customer. Marks all other hosts as deleted, and deletes all operations.
 */
async function harbour() {
  await HostInstance.query().whereNot('status', 'deleted').update({ status: 'deleted' })
  const room = { cpuTotal: 32, memoryTotal: 128 * GiB, diskTotal: 2_000 * GiB }
  const hosts = await Promise.all(
    ['dhaka-1', 'dhaka-2', 'chattogram-1'].map((name, index) =>
      makeHost('/nowhere', {
        name,
        ip: `203.0.113.${10 + index}`,
        provider: 'Own rack',
        specifications: {
          vcpu: { value: 32 },
          ram: { value: 128, unit: 'GB' },
          storage: { value: 2_000, unit: 'GB', type: 'NVMe' },
        },
        ...room,
        status: index === 2 ? 'maintenance' : 'active',
      })
    )
  )
  const sold = await createSmallPackage('regular', { vcpu: 2, memoryMb: 4096, diskGb: 80 })
  await sold.merge({ name: 'Silver 2', offered: false }).save()
  const customer = await makeCustomer({
    name: 'Harbour Books',
    email: freshEmail('books'),
  })
  const servers = new Map<string, ServerInstance>()
  for (const [index, name] of ['school', 'staging', 'shop'].entries()) {
    const instance = await makeInstance(customer, {
      name,
      ip: '203.0.113.10',
      hostInstanceId: hosts[0].id,
      serverPackageId: sold.id,
      status: name === 'staging' ? 'stopped' : 'active',
      vcpu: 2,
      memoryBytes: 4 * GiB,
      diskBytes: 80 * GiB,
      ports: { ssh: 22_001 + index },
    })
    servers.set(name, instance)
  }
  const neighbour = await makeCustomer()
  for (const [index, host] of [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2].entries()) {
    await makeInstance(neighbour, {
      hostInstanceId: hosts[host].id,
      serverPackageId: sold.id,
      status: 'active',
      vcpu: 4,
      memoryBytes: 12 * GiB,
      diskBytes: 160 * GiB,
      ports: { ssh: 22_100 + index },
    })
  }
  for (const name of ['orders', 'catalogue']) {
    await Database.create({
      accountId: customer.id,
      serverInstanceId: servers.get('shop')!.id,
      engine: 'mysql',
      name,
      status: 'active',
    })
  }
  const minute = DateTime.utc()
  const load = (id: number, cpu: number, memory: number) => ({
    subject: 'instance' as const,
    subjectId: id,
    load: null,
    rates: { cpu, diskRead: 1e6, diskWritten: 2e6, networkIn: 3e6, networkOut: 8e6 },
    memoryUsed: memory * GiB,
    memoryTotal: 4 * GiB,
    diskUsed: 30 * GiB,
    diskTotal: 80 * GiB,
  })
  await saveSamples(minute, [
    load(servers.get('shop')!.id, 0.82, 2.6),
    load(servers.get('school')!.id, 0.14, 1.1),
  ])
  for (const { server, name, subdomain } of SAMPLE_SITES) {
    const domain = `${subdomain}.harbour.example`
    const { id: serverInstanceId } = servers.get(server)!
    await Domain.query().where({ subdomain: domain }).delete()
    await Domain.create({
      accountId: customer.id,
      serverInstanceId,
      subdomain: domain,
      status: 'active',
    })
    await makeProject(servers.get(server)!, {
      name,
      path: uniqueName(subdomain),
      virtualHost: {
        type: 'static',
        url_type: 'subdomain',
        server_admin: '',
        entry_point: '',
        reverse_proxy_port: null,
        subdomain: domain,
        url_port: null,
      },
    })
  }
  await makeBill(customer, [{ name: 'shop', cost: '12.5' }])
  await Operation.query().delete()
  return customer
}

/** Takes a screenshot of the visible page in one colour scheme, and saves it as a file of the repository. */
async function keep(page: Page, file: string, scheme: 'light' | 'dark') {
  await showInColorScheme(page, scheme)
  await takeScreenshot(page, file.replace(/\W/g, '-'), false)
  await page.screenshot({ path: app.makePath(file) })
}

/** Creates the pictures of the README and the landing page, and the touch icon. Run by `./berth pictures --product`. */
test.group('Screenshots on the landing page', () => {
  test('are up to date', async () => {
    const customer = await harbour()
    const page = await openDashboardAs(customer)
    // The first visit shows a greeting, which the picture must not contain.
    await visit(page, '/')
    await page.getByText('books.harbour.example').waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await keep(page, `public/images/console-${scheme}.png`, scheme)
      await keep(page, `docs/images/customer-${scheme}.png`, scheme)
    }
    await signInThroughPage(page, await makeStaff('administrator', { name: 'Operations' }))
    await visit(page, '/admin/host-instance/list')
    await page.getByText('dhaka-1').first().waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await keep(page, `docs/images/staff-${scheme}.png`, scheme)
    }
    await page.setViewportSize({ width: 180, height: 180 })
    await page.goto('/favicon.svg')
    await page.screenshot({ path: app.makePath('public/apple-touch-icon.png') })
  }).skip(
    process.env.BERTH_PICTURES !== 'product',
    'made when asked for: ./berth pictures --product'
  )
})
