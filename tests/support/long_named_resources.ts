import Member from '#accounts/models/member'
import { rejectBillPayment } from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { freshTrx, makeBill, makeExternalBill } from '#billing/tests/fixtures'
import { audit } from '#core/audit/audit'
import Operation from '#core/models/operation'
import Domain from '#edge/models/domain'
import type Person from '#identity/models/person'
import { saveSamples, type MetricsSample } from '#metrics/samples'
import { makeHost, makeInstance, makeProject } from '#projects/tests/fixtures'
import { startWebRootMachine } from '#tests/support/web_root_machine'
import { retireHosts, createSmallPackage, uniqueName } from '#tests/support/hosts'
import { freshEmail, makeCustomer, makeStaff } from '#tests/support/people'
import Vault from '#vault/models/vault'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Long names that the forms accept, in several scripts. */
const names = {
  customer:
    'Wolfeschlegelsteinhausenbergerdorff Maria Anastasia Konstantinopoulou-Vandenberghe of Nowhere',
  member: 'আন্তর্জাতিক শুভেচ্ছা সমবায় সমিতির প্রতিনিধি মোহাম্মদ আব্দুর রহমান চৌধুরী',
  staff: 'عبد الرحمن بن محمد بن عبد العزيز آل الشيخ المنصوري',
  title: 'Deputy Head of Customer Relations, Harbours and Inland Waterways (acting)',
  project: 'The quarterly newsletter of the harbour authority, with its archive since 1987',
  instance: 'a-web-server-with-the-longest-legal-name',
  host: 'rack-17.row-b.hall-2.eu-central-1.compute.example-hosting.local',
  package: 'Harbour master with extra storage and a very long name (2026)',
}

function longEmail(): string {
  const [own] = freshEmail('mail').split('@')
  return `${own}.of.the.harbour.authority.and.inland.waterways@correspondence.harbour-authority.example.com`
}

const shortenName = (name: string, most: number) =>
  `${name.slice(0, most - 9)}-${randomUUID().slice(0, 8)}`

/**
 * Creates a customer and staff, and resources in many statuses, all with long names. Returns the people, the pages of
 * these resources by area, and `undo`. `undo` stops the file server, deletes the alert and the operation, and marks the
 * hosts as deleted. The other rows stay.
 */
export async function createLongNamedResources() {
  const customer = await makeCustomer({ name: names.customer, email: longEmail() })
  const member = await makeCustomer({ name: names.member, email: longEmail() })
  await Member.create({ accountId: customer.id, personId: member.id, role: 'developer' })
  const developer = member
  const staffNames = () => ({ name: names.staff, email: longEmail(), title: names.title })
  const staff = await makeStaff('administrator', staffNames())
  await makeStaff('support', { ...staffNames(), password: null })
  await makeStaff('support', { ...staffNames(), disabledAt: DateTime.utc() })
  const idle = await Promise.all(
    (['pending', 'maintenance'] as const).map((status) =>
      makeHost('/nowhere', { name: shortenName(names.host, 63), status })
    )
  )
  const host = await makeHost('/nowhere', {
    name: shortenName(names.host, 63),
    ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
    status: 'offline',
    statusReason: 'It has not answered since 03:12: connect ETIMEDOUT 2001:db8:1234:5678::1',
    provider: 'Hosting company of the inland waterways',
  })
  const sold = await createSmallPackage('regular')
  await sold
    .merge({
      name: shortenName(names.package, 60),
      position: 0,
      offered: false,
      pricing: sold.pricing.map((one) => ({ ...one, price: '1234.50', renew: '1234.50' })),
    })
    .save()
  const instance = await makeInstance(customer, {
    name: shortenName(names.instance, 40),
    ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
    hostInstanceId: host.id,
    // Stopped, so that pages do not try to connect to the instance.
    status: 'stopped',
  })
  for (const status of ['suspended', 'failed', 'deleted'] as const) {
    await makeInstance(customer, { name: shortenName(names.instance, 40), status })
  }
  const subdomain = `${uniqueName('newsletter')}.archive.harbour-authority-of-the-inland-waterways.example.com`
  await Domain.create({
    accountId: customer.id,
    serverInstanceId: instance.id,
    subdomain,
    status: 'pending',
  })
  const project = await makeProject(instance, {
    name: names.project,
    path: `sites/newsletter-of-the-harbour-authority/${uniqueName('releases')}/current/public`,
    virtualHost: {
      type: 'static',
      url_type: 'subdomain',
      server_admin: '',
      entry_point: '',
      reverse_proxy_port: null,
      subdomain,
      url_port: null,
    },
  })
  for (const status of ['inactive', 'suspended', 'deleted'] as const) {
    await makeProject(instance, { name: names.project, status })
  }
  const vaults: Vault[] = []
  for (const status of ['active', 'suspended', 'deleted'] as const) {
    const vault = await Vault.create({
      accountId: customer.id,
      status,
      statusReason: names.project,
      secretKey: 'secret',
      name: shortenName(names.instance, 40),
      key: `v${randomUUID().replaceAll('-', '').slice(0, 19)}`,
      requestCount: { [DateTime.utc().toFormat('yyyy-MM')]: 123_456_789 },
      bytes: 987_654_321_098,
      objects: 12_345_678,
    })
    vaults.push(vault)
  }
  const [bill, courierBill] = await createLongNamedBills(customer)
  await recordMetrics(instance.id, host.id)
  const files = await createFiles(customer)
  await audit({
    actor: member,
    accountId: customer.id,
    action: 'project.update',
    subject: { type: 'project', id: 1, label: names.project },
    before: { name: 'Shop' },
    after: { name: names.project },
    ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
  })
  await Operation.create({
    id: randomUUID(),
    kind: 'instance.change_addresses',
    queue: 'guest',
    title: `Setting up ${names.project}`,
    accountId: customer.id,
    subjectType: 'test',
    subjectId: String(customer.id),
    input: {},
    state: {},
    steps: [],
    status: 'stuck',
    attempts: 5,
    trouble: 'connect ECONNREFUSED 2001:db8:1234:5678:9abc:def0:1234:5678:8443 after 30000 ms',
  })
  const alert = { name: 'test.long_names', key: String(customer.id) }
  const at = new Date()
  await db.table('alerts').insert({
    ...alert,
    label: 'Host is away',
    severity: 'critical',
    status: 'firing',
    began_at: at,
    seen_at: at,
    fired_at: at,
    words: `${names.host}: ${names.project}`,
  })
  const undo = async () => {
    await files.stop()
    await db.from('alerts').where(alert).delete()
    await Operation.query().where('subjectId', String(customer.id)).delete()
    await retireHosts(host, ...idle)
  }
  const pages = {
    customer: [
      `/server-instance/${instance.id}`,
      `/project/${project.id}`,
      `/vault/${vaults[0].id}`,
      `/billing/${bill.id}`,
      ...files.pages,
    ],
    staff: [
      `/admin/server-instance/${instance.id}`,
      `/admin/project/${project.id}`,
      `/admin/host-instance/${host.id}`,
      `/admin/customer/${customer.id}`,
      `/admin/billing/details/${bill.id}`,
      `/admin/autocourier-billing/details/${courierBill.id}`,
      ...files.pages.map((path) => `/admin${path}`),
    ],
  }
  return { customer, developer, staff, pages, undo }
}

/**
 * Creates two bills of each kind with a reported payment, and rejects one payment of each kind. Returns the other two
 * bills, which have long amounts.
 */
async function createLongNamedBills(customer: Person) {
  const by = { actor: null }
  const bills = [
    await makeBill(customer),
    await makeBill(customer, [{ name: names.instance, cost: '98765432.1' }]),
    await makeExternalBill('1500.50', names.host),
    await makeExternalBill('12345678901.25', names.host),
  ]
  for (const bill of bills) {
    const claim = { accountNumber: `+880 ${'1711 234567 '.repeat(3)}`.slice(0, 40).trim() }
    const parts = [{ trxId: `${freshTrx()}${freshTrx()}${freshTrx()}${freshTrx()}`, taka: null }]
    await reportBillPayment(bill, { ...claim, reference: names.project, parts }, by)
  }
  for (const bill of [bills[0], bills[2]]) await rejectBillPayment(bill, names.project, by)
  return [bills[1], bills[3]]
}

/** Records an hour of metrics, so that charts have lines. */
async function recordMetrics(instanceId: number, hostId: number): Promise<void> {
  const now = DateTime.utc()
  for (let minute = 59; minute >= 0; minute--) {
    const wave = (1 + Math.sin(minute / 6)) / 2
    const one = (subject: 'instance' | 'host', subjectId: number): MetricsSample => ({
      subject,
      subjectId,
      load: subject === 'host' ? 1.5 * wave : null,
      rates: { cpu: wave, diskRead: 4e6 * wave, diskWritten: 2e6, networkIn: 9e6, networkOut: 3e5 },
      memoryUsed: 4e8 + 1e8 * wave,
      memoryTotal: 2 ** 30,
      diskUsed: 9e9,
      diskTotal: 1e10,
    })
    await saveSamples(now.minus({ minutes: minute }), [
      one('instance', instanceId),
      one('host', hostId),
    ])
  }
}

async function createFiles(customer: Person) {
  const machine = await startWebRootMachine()
  const instance = await machine.instanceOf(customer)
  const folder = 'newsletter-of-the-harbour-authority'
  const file = `${folder}/আন্তর্জাতিক-শুভেচ্ছা-and-a-name-that-goes-on-for-as-long-as-anybody-could-want.html`
  await mkdir(join(machine.root, folder, 'releases'), { recursive: true })
  await writeFile(join(machine.root, file), `<h1>${names.project}</h1>\n`.repeat(40))
  await writeFile(join(machine.root, folder, 'release.zip'), 'PK')
  const at = (path: string) => `path=/${encodeURIComponent(path)}&server_instance_id=${instance.id}`
  return {
    pages: [`/file-manager?${at(folder)}`, `/file-manager/file?${at(file)}`],
    stop: () => machine.stop(),
  }
}
