import { actorOf } from '#identity/public'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { serveDomains } from '#edge/serve_domains'
import { edgeSettings } from '#edge/settings'
import type { InstanceType } from '#catalog/models/server_package'
import { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import type { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import { saveDomains } from '#edge/actions/save_domains'
import { openBrowser, takeScreenshot, visit, signInByRequest } from '#tests/support/browser'
import { pointDnsToThisHost, fetchSite } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { type SecondIncus, startSecondIncus } from '#tests/support/second_incus'
import { serveTextSite } from '#tests/support/site_machine'
import { startWorker } from '#tests/support/worker'
import type Person from '#identity/models/person'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import type { Page } from 'playwright-core'

const reason = !process.env.INCUS_SOCKET
  ? 'needs an Incus: set INCUS_SOCKET'
  : !edgeSettings()
    ? 'needs a Caddy: set EDGE_ADMIN'
    : ''
/** Operations on a real instance take seconds, but minutes on a busy machine. */
const MACHINE_TIMEOUT_MS = 480_000

test.group('Second host', (group) => {
  const stops: (() => Promise<unknown>)[] = []
  let other: SecondIncus
  let customer: Person

  group.setup(async () => {
    if (reason) return
    const { host } = await registerLocalHost()
    const before = host.status
    await host.merge({ status: 'maintenance' }).save()
    stops.push(() => host.merge({ status: before }).save())
    stops.push(await disableOtherHosts())
    other = await startSecondIncus()
    stops.push(() => other.stop())
    stops.push(await startWorker())
    customer = await makeCustomer()
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  async function order(instanceType: InstanceType): Promise<ServerInstance> {
    const option = await createSmallPackage(instanceType)
    const { instance } = await orderInstance(await actorOf(customer), {
      name: uniqueName('far'),
      instanceType,
      serverPackageId: option.id,
      billingPeriod: 'month',
    })
    await option.merge({ offered: false }).save()
    return instance
  }

  test('is added by its trust token, is set up, and runs instances like the first host', async () => {
    const name = uniqueName('host')
    const { page } = await openBrowser()
    try {
      await signInByRequest(page, await makeStaff('administrator'))
      const token = await other.incus.certificates.createToken('berth')
      await add(page, name, token)
      const host = await HostInstance.findByOrFail('name', name)
      assert.equal(host.cpuTotal, availableParallelism())
      const { config } = await other.incus.networks.get(other.network)
      assert.equal(config['security.acls'], 'berth-tenants')
      // The DHCP range contains only the bridge's own address, so the bridge serves only addresses that Berth
      // assigned.
      const own = config['ipv4.address'].split('/')[0]
      assert.equal(config['ipv4.dhcp.ranges'], `${own}-${own}`)

      const [regular, shared] = [await order('regular'), await order('shared')]
      for (const instance of [regular, shared]) {
        await eventually(async () => {
          await instance.refresh()
          assert.equal(instance.status, 'active', instance.statusReason ?? '')
        }, MACHINE_TIMEOUT_MS)
        assert.equal(instance.hostInstanceId, host.id)
        const asked = await (await connectToActiveInstance(instance)).exec(['hostname'])
        assert.equal(asked.stdout.toString().trim(), instance.name)
      }
      const measured = (await incusClientFor(host).metrics()).map((one) => one.name)
      assert.ok(measured.includes(regular.systemId!), 'its use can be measured from here')
      await keepsToItself(regular, other)
      await isServed(shared, customer)
      await visit(page, `/admin/host-instance/${host.id}?tab=servers`)
      await page.getByRole('row').filter({ hasText: shared.name }).waitFor()
      await takeScreenshot(page, 'second-host')

      for (const { id } of [regular, shared]) await deleteInstance(await actorOf(customer), id)
      for (const instance of [regular, shared]) {
        await eventually(async () => {
          await instance.refresh()
          assert.equal(instance.status, 'deleted', instance.statusReason ?? '')
        }, MACHINE_TIMEOUT_MS)
      }
      await takeAway(page, host)
      await eventually(async () => {
        const left = (await other.incus.instances.list()).map((one) => one.name)
        assert.deepEqual(left, [])
        assert.deepEqual(await other.incus.certificates.list(), [])
        assert.equal((await host.refresh()).clientKey, null)
      }, MACHINE_TIMEOUT_MS)
      await refuseCluster(page, other)
    } finally {
      await HostInstance.query().where('name', name).update({ status: 'deleted' })
    }
  })
    .skip(reason !== '', reason)
    .timeout(2 * MACHINE_TIMEOUT_MS)
})

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

async function add(page: Page, name: string, token: string) {
  await visit(page, '/admin/host-instance/list')
  await page.getByRole('button', { name: 'Add Host Instance' }).click()
  const form = page.getByRole('dialog', { name: 'Add Host Instance' })
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('Trust token').fill('not a token, but long enough')
  await form.getByRole('button', { name: 'Add host' }).click()
  await form.getByText('This is not an Incus trust token').waitFor()
  await form.getByLabel('Trust token').fill(token)
  await form.getByLabel('Provider').fill('Next door')
  await takeScreenshot(page, 'host-add', false)
  await form.getByRole('button', { name: 'Add host' }).click()
  await form.waitFor({ state: 'hidden' })
  // The page updates without a reload.
  await card(page, name)
    .getByText(/^(Pending|Active)$/)
    .waitFor()
  await card(page, name)
    .getByText('Active', { exact: true })
    .waitFor({ timeout: MACHINE_TIMEOUT_MS })
}

/**
 * Checks that the form rejects a host that is a member of a cluster. Berth's certificate must not stay on that host.
 */
async function refuseCluster(page: Page, { incus, socket }: SecondIncus) {
  const clustered = await fetchFromSocket(socket, '/1.0/cluster', {
    server_name: 'rack-1',
    enabled: true,
  })
  assert.ok(clustered < 300, `Incus answered ${clustered}`)
  await eventually(async () => {
    assert.equal((await incus.info()).environment.server_clustered, true)
  }, MACHINE_TIMEOUT_MS)
  await visit(page, '/admin/host-instance/list')
  await page.getByRole('button', { name: 'Add Host Instance' }).click()
  const form = page.getByRole('dialog', { name: 'Add Host Instance' })
  await form.getByLabel('Name').fill(uniqueName('rack'))
  await form.getByLabel('Trust token').fill(await incus.certificates.createToken('berth'))
  await form.getByRole('button', { name: 'Add host' }).click()
  await form.getByText(/rack-1 is a member of an Incus cluster/).waitFor()
  await takeScreenshot(page, 'host-in-cluster', false)
  assert.deepEqual(
    (await incus.certificates.list()).filter(({ type }) => type === 'client'),
    []
  )
}

/** Sends a PUT request to the Incus that listens on a socket. Returns the HTTP status. */
function fetchFromSocket(socketPath: string, path: string, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    request({ socketPath, path, method: 'PUT', headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode!))
    })
      .once('error', reject)
      .end(JSON.stringify(body))
  })
}

/** Checks that programs on the instance cannot connect to a port of their host, except that of its DNS server. */
async function keepsToItself(instance: ServerInstance, other: SecondIncus) {
  const listener = createServer((connection) => connection.end('reached'))
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
  try {
    const { port } = listener.address() as { port: number }
    const { config } = await other.incus.networks.get(other.network)
    const gateway = config['ipv4.address']!.split('/')[0]!
    const reach = `const [host, port] = process.argv.slice(1)
      const socket = require('net').connect({ host, port: Number(port), timeout: 3000 })
      socket.on('connect', () => process.exit(0))
      socket.on('timeout', () => process.exit(1))
      socket.on('error', () => process.exit(1))`
    const machine = await connectToActiveInstance(instance)
    const asked = await machine.exec(['node', '-e', reach, gateway, String(port)])
    assert.equal(asked.code, 1)
    assert.equal((await machine.exec(['node', '-e', reach, gateway, '53'])).code, 0)
  } finally {
    listener.close()
  }
}

/** Checks that the edge of the first host serves a site of this instance on the second host. */
async function isServed(instance: ServerInstance, customer: Person) {
  const domain = `${uniqueName('far')}.example.test`
  const words = uniqueName('from next door')
  await serveTextSite(await connectToActiveInstance(instance), domain, words)
  await pointDnsToThisHost(domain)
  await saveDomains(await actorOf(customer), instance.id, [domain])
  await eventually(async () => {
    await serveDomains()
    assert.deepEqual(await fetchSite(domain), { status: 200, text: words })
  })
  await instance.refresh()
  assert.deepEqual(instance.ports, {}, 'nobody is told of the port that leads there')
}

async function takeAway(page: Page, host: HostInstance) {
  await visit(page, `/admin/host-instance/${host.id}`)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Remove ${host.name}` })
  await dialog.getByRole('textbox').fill(host.name)
  await dialog.getByRole('button', { name: 'Remove host' }).click()
  await page.getByRole('heading', { name: 'Host Instance List', level: 1 }).waitFor()
  await card(page, host.name).waitFor({ state: 'hidden' })
}
