import Operation from '#core/models/operation'
import type {
  OnboardingStep,
  AttentionItem,
  DashboardSection,
} from '#core/contracts/menu_and_dashboard'
import type { AdminDashboardPage } from '#identity/transformers/page_props'
import { DateTime } from 'luxon'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

test.group('Dashboards', () => {
  test('show onboarding steps to new customers, and a summary once these are done', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const shown = async () =>
      (await visitor.page('/')).json.props as {
        steps: OnboardingStep[]
        overview: DashboardSection[]
      }

    const { steps, overview } = await shown()
    const done = (all: OnboardingStep[]) =>
      all.filter((step) => step.done).map(({ label }) => label)
    assert.includeMembers(
      steps.map(({ label, action }) => `${label}: ${action}`),
      ['Create a server instance: Create New Instance', 'Add a site: Add New Project']
    )
    assert.deepEqual(done(steps), [])
    assert.deepEqual(overview, [])

    const { name } = await makeInstance(customer)
    const later = await shown()
    assert.deepEqual(done(later.steps), ['Create a server instance'])
    assert.include(
      later.overview.flatMap(({ rows }) => rows.map((row) => row.name)),
      name
    )
  })

  test('show alerts to staff, and failed operations with their customers', async ({
    assert,
    cleanup,
  }) => {
    const customer = await makeCustomer()
    const key = String(customer.id)
    const at = new Date()
    await db.table('alerts').insert({
      name: 'test.dashboard',
      key,
      label: 'Host is away',
      severity: 'critical',
      status: 'firing',
      began_at: at,
      seen_at: at,
      fired_at: at,
      words: `harbour ${key}`,
    })
    const title = `Setting up harbour ${key}`
    await Operation.create({
      id: randomUUID(),
      kind: 'instance.change_addresses',
      queue: 'guest',
      title,
      accountId: customer.id,
      subjectType: 'test',
      subjectId: key,
      input: {},
      state: {},
      steps: [],
      status: 'stuck',
      attempts: 5,
      trouble: 'refused',
    })
    const failure = (requestId: string | null) => ({
      id: randomUUID(),
      kind: 'instance.change_addresses',
      queue: 'guest' as const,
      title: `Clone of harbour ${key}`,
      accountId: customer.id,
      subjectType: 'test',
      subjectId: key,
      input: {},
      state: {},
      steps: [],
      status: 'failed' as const,
      error: 'Wrong password.',
      attempts: 1,
      requestId,
      endedAt: DateTime.utc(),
    })
    await Operation.createMany([failure('mistake-1'), failure('mistake-2')])
    const [own] = await Operation.createMany([failure(null)])
    cleanup(async () => {
      await db.from('alerts').where({ name: 'test.dashboard', key }).delete()
      await Operation.query().where('subjectId', key).delete()
    })

    const visitor = await signIn(await makeStaff('support'))
    const needs = (await visitor.page('/admin')).json.props!.needs as AttentionItem[]
    const alert = needs.findIndex(({ detail }) => detail === `harbour ${key}`)
    const failed = needs.findIndex(({ title: words }) => words === `${title}: stuck`)
    assert.isAtLeast(alert, 0)
    assert.isAbove(failed, alert)
    assert.include(needs[failed].detail, customer.name)
    assert.equal((await visitor.page(needs[failed].href)).status, 200)

    // Failures of customers' operations are one item, the last. Failures of Berth's own operations are separate
    // items.
    const ofBerth = needs.filter(({ title: words }) => words === `${own.title}: failed`)
    assert.lengthOf(ofBerth, 1)
    assert.match(needs.at(-1)!.title, /^\d+ operations of customers failed$/)
    assert.equal((await visitor.page(needs.at(-1)!.href)).status, 200)

    const office = await signIn(await makeStaff('administrator'))
    const { readAt, failures } = (await office.page('/admin')).json
      .props as unknown as AdminDashboardPage
    // `failures` also counts the operations that the list combines into one item.
    assert.isAtLeast(failures, 3)
    const late = await Operation.create(failure('mistake-3'))
    await office.post('/admin/operations/dismiss', { until: readAt })
    const after = (await office.page('/admin')).json.props as unknown as AdminDashboardPage
    const left = after.needs
    assert.isBelow(after.failures, failures)
    assert.notInclude(
      left.map(({ title: words }) => words),
      `${own.title}: failed`
    )
    assert.equal(left.at(-1)!.title, '1 operation of a customer failed')
    await late.refresh()
    await own.refresh()
    assert.deepEqual([late.dismissedAt, own.dismissedAt === null], [null, false])
    assert.include(
      left.map(({ title: words }) => words),
      `${title}: stuck`
    )
  })
})
