import { listPage, listRequest, prefixPattern } from '#core/list_page'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const asked = (query: Record<string, unknown>) =>
  listRequest({ request: { qs: () => query } } as unknown as HttpContext, { sent: 'Sent' })

test.group('List pages', () => {
  test('read odd addresses as defaults', ({ assert }) => {
    assert.deepEqual(asked({ page: '-1', length: '7', status: 'x', search: ['a'] }), {
      page: 1,
      length: 50,
      status: '',
      search: '',
    })
    assert.deepEqual(asked({ page: '3', length: '100', status: 'sent', search: ' a ' }), {
      page: 3,
      length: 100,
      status: 'sent',
      search: 'a',
    })
  })

  test('match a prefix literally', ({ assert }) => {
    assert.equal(prefixPattern('50%_\\'), '50\\%\\_\\\\%')
  })

  test('count exactly, by status, and answer the last page for one beyond', async ({ assert }) => {
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
    const request = { page: 9, length: 50, status: '', search: '' }
    const all = await listPage<{ title: string }>(query(), request)
    assert.deepEqual(
      { ...all, rows: all.rows.length },
      { page: 3, length: 50, count: 120, rows: 20, counts: { failed: 40, done: 80 } }
    )
    const failed = await listPage<{ status: string }>(query(), { ...request, status: 'failed' })
    assert.equal(failed.count, 40)
    assert.isTrue(failed.rows.every(({ status }) => status === 'failed'))
  })
})
