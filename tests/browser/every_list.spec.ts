/// <reference lib="dom" />
import Member from '#accounts/models/member'
import { rejectBill } from '#billing/actions/decide_bill'
import { payBill } from '#billing/actions/pay_bill'
import { freshTrx, makeBill, makeCourierBill } from '#billing/tests/fixtures'
import { audit } from '#core/audit/audit'
import Operation from '#core/models/operation'
import Domain from '#edge/models/domain'
import { retire, smallPackage, unique } from '#tests/support/hosts'
import { makeHost, makeInstance, makeProject } from '#projects/tests/fixtures'
import Vault from '#vault/models/vault'
import { openBrowser, picture, signInThroughPage, visit } from '#tests/support/browser'
import { freshEmail, makeCustomer, makeStaff, signIn } from '#tests/support/people'
import type Person from '#identity/models/person'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { complaintsOf } from '#tests/support/complaints'

const WIDTHS = [390, 768, 1280, 1920]

/** As long as the forms allow, in scripts that people have names in. */
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

/** Where a list is for certain; those of databases need a machine (`mysql.spec.ts`). */
const KNOWN = {
  customer: [
    ...['/server-instance/list', '/project/list', '/vault/list'],
    ...['/profile/members', '/profile?tab=activity', '/billing'],
  ],
  staff: [
    ...['host-instance/list', 'server-instance/list', 'project/list', 'customer/list'],
    ...[
      'vault/list',
      'staff/list',
      'server-package/list',
      'audit',
      'system?tab=work',
      'system?tab=alerts',
      'system?tab=schedules',
      'backup',
      'billing/list',
      'autocourier-billing/list',
    ],
  ].map((path) => `/admin/${path}`),
}

/** An address of the length that mail allows. */
function longEmail(): string {
  const [own] = freshEmail('mail').split('@')
  return `${own}.of.the.harbour.authority.and.inland.waterways@correspondence.harbour-authority.example.com`
}

const cut = (name: string, most: number) => `${name.slice(0, most - 9)}-${randomUUID().slice(0, 8)}`

/** Somebody whose every thing has a name as long as is legal, one in each status. */
async function longNames() {
  const customer = await makeCustomer({ name: names.customer, email: longEmail() })
  const member = await makeCustomer({ name: names.member, email: longEmail() })
  await Member.create({ accountId: customer.id, personId: member.id, role: 'developer' })
  const staffNames = () => ({ name: names.staff, email: longEmail(), title: names.title })
  const staff = await makeStaff('administrator', staffNames())
  await makeStaff('support', { ...staffNames(), password: null })
  await makeStaff('support', { ...staffNames(), disabledAt: DateTime.utc() })
  const idle = await Promise.all(
    (['pending', 'maintenance'] as const).map((status) =>
      makeHost('/nowhere', { name: cut(names.host, 63), status })
    )
  )
  const host = await makeHost('/nowhere', {
    name: cut(names.host, 63),
    ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
    status: 'offline',
    statusReason: 'It has not answered since 03:12: connect ETIMEDOUT 2001:db8:1234:5678::1',
    provider: 'Hosting company of the inland waterways',
  })
  const sold = await smallPackage('regular')
  await sold
    .merge({
      name: cut(names.package, 60),
      position: 0,
      offered: false,
      pricing: sold.pricing.map((one) => ({ ...one, price: '1234.50', renew: '1234.50' })),
    })
    .save()
  const instance = await makeInstance(customer, {
    name: cut(names.instance, 40),
    ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
    hostInstanceId: host.id,
    // Nothing answers there: no page is to wait for it.
    status: 'stopped',
  })
  for (const status of ['suspended', 'failed', 'deleted'] as const) {
    await makeInstance(customer, { name: cut(names.instance, 40), status })
  }
  const subdomain = `${unique('newsletter')}.archive.harbour-authority-of-the-inland-waterways.example.com`
  await Domain.create({
    accountId: customer.id,
    serverInstanceId: instance.id,
    subdomain,
    status: 'pending',
  })
  await makeProject(instance, {
    name: names.project,
    path: `sites/newsletter-of-the-harbour-authority/${unique('releases')}/current/public`,
    virtualHost: {
      ...{ type: 'static', url_type: 'subdomain', server_admin: '', entry_point: '' },
      ...{ reverse_proxy_port: null, subdomain, url_port: null },
    },
  })
  for (const status of ['inactive', 'suspended', 'deleted'] as const) {
    await makeProject(instance, { name: names.project, status })
  }
  for (const status of ['active', 'suspended', 'deleted'] as const) {
    await Vault.create({
      ...{ accountId: customer.id, status, statusReason: names.project, secretKey: 'secret' },
      ...{
        name: cut(names.instance, 40),
        key: `v${randomUUID().replaceAll('-', '').slice(0, 19)}`,
      },
      ...{ requestCount: { [DateTime.utc().toFormat('yyyy-MM')]: 123_456_789 } },
      ...{ bytes: 987_654_321_098, objects: 12_345_678 },
    })
  }
  await longBills(customer)
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
    lane: 'guest',
    title: `Setting up ${names.project}`,
    accountId: customer.id,
    subjectType: 'test',
    subjectId: String(customer.id),
    input: {},
    memory: {},
    steps: [],
    status: 'stuck',
    attempts: 5,
    trouble: 'connect ECONNREFUSED 2001:db8:1234:5678:9abc:def0:1234:5678:8443 after 30000 ms',
  })
  const alert = { name: 'test.long_names', key: String(customer.id) }
  const at = new Date()
  await db.table('alerts').insert({
    ...{ ...alert, label: 'Host is away', severity: 'critical', status: 'firing', began_at: at },
    ...{ seen_at: at, fired_at: at, words: `${names.host}: ${names.project}` },
  })
  const undo = async () => {
    await db.from('alerts').where(alert).delete()
    await Operation.query().where('subjectId', String(customer.id)).delete()
    await retire(host, ...idle)
  }
  return { customer, staff, undo }
}

/** One bill of each family that waits, and one that was rejected, with what people may write at most. */
async function longBills(customer: Person): Promise<void> {
  const by = { actor: null }
  const bills = [
    await makeBill(customer),
    await makeBill(customer, [{ name: names.instance, cost: '98765432.1' }]),
    await makeCourierBill('1500.50', names.host),
    await makeCourierBill('12345678901.25', names.host),
  ]
  for (const bill of bills) {
    const claim = { accountNumber: `+880 ${'1711 234567 '.repeat(3)}`.slice(0, 40).trim() }
    const parts = [{ trxId: `${freshTrx()}${freshTrx()}${freshTrx()}${freshTrx()}`, taka: null }]
    await payBill(bill, { ...claim, reference: names.project, parts }, by)
  }
  for (const bill of [bills[0], bills[2]]) await rejectBill(bill, names.project, by)
}

/**
 * The addresses below which this person sees a list: every page of theirs is asked for, and each tab
 * of it, so that a new list is among them without being named anywhere.
 */
async function listsOf(person: Person): Promise<string[]> {
  const visitor = await signIn(person)
  const staff = person.audience === 'staff'
  const pages = Object.values(router.toJSON())
    .flat()
    .filter(({ methods, pattern }) => methods.includes('GET') && !/[:*]/.test(pattern))
    .map(({ pattern }) => pattern)
    .filter((path) => (path === '/admin' || path.startsWith('/admin/')) === staff)
    .filter((path) => !/log(in|out)$|changes$|google/.test(path))
  const html = async (path: string) => {
    const { status, headers, text } = await visitor.get(path, { accept: 'text/html' })
    return status === 200 && headers.get('content-type')?.includes('html') ? text : ''
  }
  const found: string[] = []
  for (const path of new Set(pages)) {
    const first = await html(path)
    if (isList(first)) found.push(path)
    for (const [, key] of first.matchAll(
      /role="tab" id="[^"]*-(\w+)-tab"[^>]*aria-selected="false"/g
    )) {
      const address = `${path}?tab=${key}`
      if (isList(await html(address))) found.push(address)
    }
  }
  return found
}

function isList(html: string): boolean {
  return html.includes('aria-label="Filter by status"') || html.includes('<table')
}

/** Of what a page shows, only what stays: it may be at work on its layout, or reading itself anew. */
async function lastingComplaints(page: Page): Promise<string[]> {
  let found = await page.evaluate(complaintsOf)
  for (let looks = 0; found.length > 0 && looks < 10; looks++) {
    await setTimeout(300)
    const again = await page.evaluate(complaintsOf)
    found = again.filter((words) => found.includes(words))
  }
  return found
}

/** What a person would complain of, at every width. */
async function lookAt(page: Page, path: string): Promise<string[]> {
  const found: string[] = []
  await visit(page, path)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
    const complaints = await lastingComplaints(page)
    found.push(...complaints.map((words) => `${path} at ${width}: ${words}`))
    await picture(page, `every-list${path.replace(/\W+/g, '-')}-${width}`)
  }
  return found
}

test.group('Every list', () => {
  for (const area of ['customer', 'staff'] as const) {
    test(`of the ${area} area shows long names well, in all widths`, async () => {
      const { undo, ...people } = await longNames()
      const person = people[area]
      const lists = await listsOf(person)
      for (const path of KNOWN[area]) assert.ok(lists.includes(path), `${path} shows no list`)
      const { context, page } = await openBrowser()
      try {
        await signInThroughPage(page, person)
        const complaints: string[] = []
        for (const path of lists) complaints.push(...(await lookAt(page, path)))
        assert.equal(complaints.join('\n'), '')
      } finally {
        await undo()
        await context.close()
      }
    })
  }
})
