import Operation from '#core/models/operation'
import type { SystemPage } from '#core/page_props'
import { allSchedules, defineSchedule, startSchedules } from '#core/schedules/schedules'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

type Tab<Key> = Extract<SystemPage, { tab: Key }>

test.group('Page System', (group) => {
  let staff: Visitor

  group.setup(async () => {
    staff = await signIn(await makeStaff('support'))
  })

  async function shown<Key extends SystemPage['tab']>(tab: Key, query: Record<string, string>) {
    const asked = new URLSearchParams({ tab, ...query })
    const { json } = await staff.page(`/admin/system?${asked}`)
    return json.props as unknown as Tab<Key>
  }

  test('operations are sorted by urgency, and can be searched by account', async ({
    assert,
    cleanup,
  }) => {
    const word = uniqueName('ferry')
    const customer = await makeCustomer({ name: `${word} company` })
    const make = (
      status: 'stuck' | 'running' | 'failed' | 'done',
      ended = 0,
      title: string = status
    ) =>
      Operation.create({
        id: randomUUID(),
        kind: 'test.system',
        queue: 'guest',
        title: `${word} ${title}`,
        accountId: customer.id,
        subjectType: 'test',
        subjectId: word,
        input: {},
        state: {},
        steps: [],
        status,
        endedAt: ended ? DateTime.utc().minus({ hours: ended }) : null,
      })
    cleanup(async () => {
      await Operation.query().where('subjectId', word).delete()
    })
    await make('failed', 2)
    await make('done', 1)
    await make('failed', 48, 'failed long ago')
    await make('stuck')
    await make('running')

    const titles = ({ rows }: Tab<'work'>) => rows.map(({ title }) => title.slice(word.length + 1))
    const all = await shown('work', { search: `${word} company` })
    assert.deepEqual(titles(all), ['stuck', 'running', 'failed'])
    assert.deepEqual(all.counts, { stuck: 1, running: 1, failed: 1 })
    assert.isTrue(all.rows.every(({ owner }) => owner === customer.name))
    const one = await shown('work', { search: word, status: 'failed' })
    assert.deepEqual([titles(one), one.count], [['failed'], 1])
    const sorted = await shown('work', { search: word, sort: '-title' })
    assert.deepEqual(titles(sorted), ['stuck', 'running', 'failed'])
  })

  test('every schedule is listed with its last run', async ({ assert, cleanup }) => {
    const failing = defineSchedule({
      name: `test.${randomUUID()}`,
      label: 'Reads an empty disk',
      every: 7_200,
      run: async () => {
        throw new Error('No medium found')
      },
    })
    const never = defineSchedule({
      name: `test.${randomUUID()}`,
      label: 'Is never begun',
      every: 60,
      run: async () => {},
    })
    cleanup(startSchedules([failing]))
    await eventually(async () => {
      const { rows } = await shown('schedules', { search: failing.name, status: 'failed' })
      assert.lengthOf(rows, 1)
      assert.containsSubset(rows[0], { label: failing.label, every: 7_200, failures: 1 })
      assert.equal(rows[0].error, 'No medium found')
      assert.isNotNull(rows[0].started_at)
    })
    const waiting = await shown('schedules', { search: 'never begun' })
    assert.containsSubset(waiting.rows, [{ name: never.name, status: 'waiting', started_at: null }])
    const all = await shown('schedules', { length: '500' })
    assert.isAtLeast(all.count, allSchedules().length)
  })
})
