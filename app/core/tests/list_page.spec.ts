import {
  startsWith,
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  parseListRequest,
} from '#core/list_page'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const list: ListDefinition = {
  statuses: { sent: 'Sent', failed: 'Failed', done: 'Done' },
  sorts: { title: 'title' },
  search: searchAnywhereIn('title', 'kind'),
  filters: {
    after: (value) =>
      /^\d+$/.test(value) ? { sql: 'title::int > ?', bindings: [Number(value)] } : null,
  },
}

const asked = (query: Record<string, unknown>) =>
  parseListRequest({ request: { qs: () => query } } as unknown as HttpContext, list)

test.group('List pages', () => {
  test('invalid query parameters are read as defaults', ({ assert }) => {
    const plain = asked({})
    assert.deepEqual(plain, {
      page: 1,
      length: 50,
      status: '',
      search: '',
      sort: '',
      filters: {},
    })
    for (const odd of [
      { page: '-1', length: '7', status: 'x', search: ['a'], sort: 'id; drop', after: 'x' },
      { page: '1e99', length: {}, status: 'constructor', sort: '--title', after: ['1'] },
      { page: '0', status: ['sent'], search: { a: 1 }, sort: '__proto__', other: '1' },
      { page: '1.5', sort: 'toString' },
    ]) {
      assert.deepEqual(asked(odd), plain)
    }
    assert.deepEqual(
      asked({
        page: '3',
        length: '100',
        status: 'sent',
        search: ' a ',
        sort: '-title',
        after: '7',
      }),
      {
        page: 3,
        length: 100,
        status: 'sent',
        search: 'a',
        sort: '-title',
        filters: { after: '7' },
      }
    )
  })

  test('a search is literal, at the start of a text or anywhere in it', ({ assert }) => {
    assert.deepEqual(startsWith('name')('50%_\\'), {
      sql: 'lower(name) like lower(?)',
      bindings: ['50\\%\\_\\\\%'],
    })
    assert.deepEqual(searchAnywhereIn('name', 'ip')('a').sql, 'name ilike ? or ip ilike ?')
  })

  test('matches are counted exactly by status, and a page beyond the end returns the last page', async ({
    assert,
  }) => {
    const group = randomUUID()
    await db.table('operations').multiInsert(
      Array.from({ length: 120 }, (_, index) => ({
        id: randomUUID(),
        kind: 'test.list',
        title: String(index),
        subject_type: 'list',
        subject_id: group,
        input: '{}',
        memory: '{}',
        steps: '[]',
        status: index % 3 === 0 ? 'failed' : 'done',
        created_at: new Date(),
      }))
    )
    const query = () => db.from('operations').where('subject_id', group)
    const all = await queryListPage<{ title: string }>(query(), asked({ page: '9' }), list)
    assert.deepEqual([all.page, all.count, all.rows.length], [3, 120, 20])
    assert.deepEqual(all.counts, { failed: 40, done: 80 })
    const failed = await queryListPage<{ status: string }>(
      query(),
      asked({ status: 'failed' }),
      list
    )
    assert.equal(failed.count, 40)
    assert.isTrue(failed.rows.every(({ status }) => status === 'failed'))

    // Rows with a status in `apart` have their own count, but are neither in the total count nor listed unless a
    // person filters by that status.
    const apart = await queryListPage<{ status: string }>(query(), asked({}), {
      ...list,
      apart: ['failed'],
    })
    assert.deepEqual([apart.count, apart.counts!.failed], [80, 40])
    assert.isTrue(apart.rows.every(({ status }) => status === 'done'))

    const titles = async (part: Record<string, unknown>) => {
      const { rows } = await queryListPage<{ title: string }>(query(), asked(part), list)
      return rows.map(({ title }) => title)
    }
    assert.deepEqual((await titles({ sort: 'title' })).slice(0, 3), ['0', '1', '10'])
    assert.deepEqual((await titles({ sort: '-title' })).slice(0, 3), ['99', '98', '97'])
    assert.deepEqual(await titles({ search: '11', sort: 'title', after: '111' }), [
      '112',
      '113',
      '114',
      '115',
      '116',
      '117',
      '118',
      '119',
    ])
    const narrowed = await queryListPage(query(), asked({ search: '11', status: 'failed' }), list)
    assert.deepEqual(narrowed.counts, { done: 8, failed: 3 })
  })
})
