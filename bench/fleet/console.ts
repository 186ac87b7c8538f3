/**
 * The console process of the benchmark `fleet`. It fills its database. It runs the tasks that its parent process sends,
 * and measures them.
 */
import { startConsoleProcess } from '../console_process.js'
import { measureMs } from '../measurement.js'
import type { Instance } from '../../packages/incus/main.js'

export interface Recorded {
  host: number
  containers: Pick<Instance, 'name' | 'config' | 'devices'>[]
}

const BYTES_PER_GIB = 1024 ** 3
const CUSTOMER_COUNT = 400
const DOMAINS_PER_PROJECT = 5

const answerTasks = await startConsoleProcess()

const { default: db } = await import('@adonisjs/lucid/services/db')
const { default: HostInstance } = await import('#hosts/models/host_instance')
const { actorOf } = await import('#identity/actor')
const { default: Person } = await import('#identity/models/person')
const { default: ServerInstance } = await import('#instances/models/server_instance')
const { default: ServerPackage } = await import('#catalog/models/server_package')
const { allocationFromSpecifications } = await import('#catalog/public')
const { incusClientFor } = await import('#hosts/public_effects')
const { checkHosts } = await import('#hosts/schedules/check_hosts')
const { orderInstance } = await import('#instances/actions/order_instance')
const { ISOLATION_SETTINGS: APART } = await import('#hosts/public_effects')
const { instanceLabels, incusNameOf } = await import('#instances/containers/labels')
const { limitConfig, cpuWeightConfig } = await import('#instances/runtime_limits')
const { reconcileAllHosts } = await import('#instances/schedules/reconcile_instances')
const { serveDomains } = await import('#edge/serve_domains')
const { measureHosts } = await import('#metrics/measure_hosts')
const { DateTime } = await import('luxon')

const began = DateTime.utc().startOf('hour')
let orders = 0

/**
 * Creates customers, and one host with 1,000 processors for each of these sockets, on which the host's fake Incus
 * listens.
 */
async function prepare({ sockets }: { sockets: string[] }): Promise<void> {
  await HostInstance.createMany(
    sockets.map((path, index) => ({
      name: `host-${index}`,
      ip: '127.0.0.1',
      status: 'active' as const,
      provider: 'bench',
      isLocal: false,
      incusUrl: `unix:${path}`,
      sshPort: 22,
      cpuTotal: 1_000,
      memoryTotal: 2_000 * BYTES_PER_GIB,
      diskTotal: 20_000 * BYTES_PER_GIB,
      storagePool: 'berth',
      network: 'incusbr0',
      specifications: {},
    }))
  )
  await Person.createMany(
    Array.from({ length: CUSTOMER_COUNT }, (_, index) => ({
      audience: 'customer' as const,
      name: `Customer ${index}`,
      email: `customer-${index}@example.com`,
    }))
  )
}

/**
 * Creates instances, distributed evenly over the hosts, and their domains. Returns the containers that the fake hosts
 * must have.
 */
async function fill({ instances }: { instances: number }): Promise<Recorded[]> {
  const hosts = await HostInstance.query().orderBy('id')
  const people = await Person.query().where('audience', 'customer').orderBy('id').limit(300)
  const sold = await ServerPackage.findByOrFail('name', 'Bronze 1')
  const allocation = allocationFromSpecifications(sold.specifications)
  for (let done = 0; done < instances; done += 500) {
    const numbers = Array.from({ length: Math.min(500, instances - done) }, (_, at) => done + at)
    await ServerInstance.createMany(
      numbers.map((number) => ({
        accountId: people[number % people.length].id,
        hostInstanceId: hosts[number % hosts.length].id,
        serverPackageId: sold.id,
        name: `web-${number}`,
        instanceType: 'regular' as const,
        status: 'active' as const,
        billingPeriod: 'month' as const,
        ports: {},
        vcpu: allocation.vcpu,
        memoryBytes: allocation.memory,
        diskBytes: allocation.disk,
        boostMode: true,
        diskUsed: BYTES_PER_GIB,
        privateIp: `10.10.${Math.floor(number / hosts.length / 250)}.${(Math.floor(number / hosts.length) % 250) + 2}`,
      }))
    )
  }
  const rows = await ServerInstance.query().orderBy('id')
  const names = await Promise.all(rows.map(({ id }) => incusNameOf(id)))
  await db.rawQuery(
    `update server_instances set system_id = named.name
       from unnest(?::bigint[], ?::text[]) as named (id, name) where server_instances.id = named.id`,
    [rows.map(({ id }) => id), names]
  )
  await db.rawQuery(
    `insert into domains (server_instance_id, account_id, subdomain, status, proven_by, proven_at,
       wants_certificate, served_at, check_at)
     select id, account_id, 'site-' || id || '-' || number || '.example.com', 'active', 'address',
       now(), true, now(), now() + interval '1 day'
     from server_instances, generate_series(1, ?) as number`,
    [DOMAINS_PER_PROJECT]
  )
  const recorded = hosts.map((_, host): Recorded => ({ host, containers: [] }))
  const at = new Map(hosts.map(({ id }, index) => [id, index]))
  for (const [index, row] of rows.entries()) {
    recorded[at.get(row.hostInstanceId!)!].containers.push({
      name: names[index],
      config: {
        ...limitConfig(row.limits),
        ...cpuWeightConfig(row.limits),
        ...APART,
        ...(await instanceLabels(row.id)),
      },
      devices: {
        root: { type: 'disk', path: '/', pool: 'berth', size: String(row.diskBytes) },
        eth0: { type: 'nic', name: 'eth0', 'ipv4.address': row.privateIp! },
      },
    })
  }
  return recorded
}

async function upkeep({ minute }: { minute: number }): Promise<Record<string, number>> {
  const now = began.plus({ minutes: minute })
  return {
    reconcile: await measureMs(reconcileAllHosts),
    sample: await measureMs(() => measureHosts(incusClientFor, now)),
    check: await measureMs(checkHosts),
  }
}

/** Orders an instance for a customer who got none from `fill`. Returns the duration in milliseconds. */
async function order(): Promise<number> {
  const offset = 300 + (orders++ % 100)
  const person = await Person.query()
    .where('audience', 'customer')
    .orderBy('id')
    .offset(offset)
    .firstOrFail()
  const { id: serverPackageId } = await ServerPackage.findByOrFail('name', 'Bronze 1')
  const actor = await actorOf(person)
  return measureMs(() =>
    orderInstance(actor, {
      name: `order-${orders}`,
      instanceType: 'regular',
      serverPackageId,
      billingPeriod: 'month',
    })
  )
}

async function domain({ name }: { name: string }): Promise<void> {
  const { id, accountId } = await ServerInstance.query().where('status', 'active').firstOrFail()
  await db.table('domains').insert({
    server_instance_id: id,
    account_id: accountId,
    subdomain: name,
    status: 'pending',
    proven_by: 'address',
    proven_at: new Date(),
    check_at: new Date(Date.now() + 86_400_000),
  })
}

answerTasks({
  hello: async () => true,
  prepare,
  fill,
  upkeep,
  order,
  domain,
  serve: () => measureMs(serveDomains),
  // Memory in MiB.
  memory: async () => ({
    now: process.memoryUsage.rss() / 1024 ** 2,
    most: process.resourceUsage().maxRSS / 1024,
  }),
})
