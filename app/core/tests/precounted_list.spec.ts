import { applyListCountChanges, findListPosition } from '#core/precounted_list'
import {
  containsOrStartsWith,
  type ListDefinition,
  queryListPage,
  type ListRequest,
  MAX_HIT_COUNT,
} from '#core/list_page'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomInt, randomUUID } from 'node:crypto'

const statuses = ['pending', 'verified', 'suspended', 'deleted']
const table = 'mail_senders'
const counted = { list: table, scope: '' }
const list: ListDefinition = {
  statuses: Object.fromEntries(statuses.map((status) => [status, status])),
  apart: ['deleted'],
  sorts: { id: 'id', email: 'email' },
  search: containsOrStartsWith('email'),
  precounted: counted,
}
/** Higher than the ids of all other tests. */
const FIRST_TEST_ID = 1_900_000_000
const pick = <T>(from: T[]) => from[randomInt(from.length)]

test.group('Precounted lists', (group) => {
  let accountId: number
  group.each.setup(async () => void ({ id: accountId } = await makeCustomer()))
  group.each.teardown(
    async () => void (await db.from(table).where('id', '>=', FIRST_TEST_ID).delete())
  )

  const rowAt = (id: number) => ({
    id,
    account_id: accountId,
    status: pick(statuses),
    email: `${randomUUID()}@counted.example`,
  })
  const insert = (trx: { insertQuery(): ReturnType<typeof db.insertQuery> }, many: number) =>
    trx
      .insertQuery()
      .table(table)
      .knexQuery.insert(
        Array.from({ length: many }, () => rowAt(FIRST_TEST_ID + randomInt(200_000)))
      )
      .onConflict('id')
      .ignore()

  /** Compares the stored counts and the position of a random page with the table, in one snapshot. */
  async function check(assert: { deepEqual(one: unknown, other: unknown, why?: string): void }) {
    await db.transaction(
      async (trx) => {
        const rows = await trx.from(table).select('status').count('* as total').groupBy('status')
        const truth = Object.fromEntries(rows.map(({ status, total }) => [status, Number(total)]))
        const wanted = pick([[pick(statuses)], statuses.slice(0, 3), statuses])
        const total = wanted.reduce((sum, status) => sum + (truth[status] ?? 0), 0)
        const length = pick([50, 100, 500])
        const page = pick([1, 1 + randomInt(Math.ceil(total / length) + 2), 1_000_000])
        const isUpwards = randomInt(2) === 0
        const place = await findListPosition(counted, wanted, { page, length }, isUpwards, trx)
        const known = Object.entries(place.counts).filter(([, n]) => n !== 0)
        assert.deepEqual(Object.fromEntries(known), truth)
        const last = Math.max(1, Math.ceil(total / length))
        assert.deepEqual(place.page, Math.min(page, last))
        const order = isUpwards ? ('asc' as const) : ('desc' as const)
        const all = trx.from(table).whereIn('status', wanted).orderBy('id', order).limit(length)
        const direct = all.clone().offset((place.page - 1) * length)
        const placed = all.clone().offset(place.rest)
        if (place.bound !== null) placed.where('id', isUpwards ? '>=' : '<=', place.bound)
        const ids = async (query: typeof all) => (await query.select('id')).map(({ id }) => id)
        assert.deepEqual(await ids(placed), await ids(direct))
      },
      { isolationLevel: 'repeatable read' }
    )
  }

  test('counts are exact while rows are added, changed and deleted, and while the changes are aggregated', async ({
    assert,
  }) => {
    await insert(db.connection(), 3_000)
    await check(assert)
    let done = false
    const some = () => FIRST_TEST_ID + randomInt(200_000)
    const changes: (() => Promise<unknown>)[] = [
      () => insert(db.connection(), 1 + randomInt(40)),
      () => {
        const at = some()
        const moved = db.from(table).whereBetween('id', [at, at + randomInt(2_000)])
        return moved.update({ status: pick(statuses) })
      },
      () => {
        const at = some()
        return db
          .from(table)
          .whereBetween('id', [at, at + randomInt(1_000)])
          .delete()
      },
      // A change that is rolled back must not change the counts.
      async () => {
        const undone = new Error('Taken back')
        await db
          .transaction(async (trx) => {
            await insert(trx, 20)
            await trx.from(table).where('id', '>', some()).update({ status: 'pending' })
            throw undone
          })
          .catch((error) => {
            if (error !== undone) throw error
          })
      },
    ]
    const worker = async () => {
      for (let turn = 0; turn < 25; turn++) {
        // Concurrent changes may deadlock. That is no fault here, so the error is ignored.
        await pick(changes)().catch((error: { code?: string }) => {
          if (error.code !== '40P01') throw error
        })
      }
    }
    const meanwhile = async (act: () => Promise<unknown>) => {
      while (!done) {
        await act()
        await new Promise((resolve) => setTimeout(resolve, randomInt(15)))
      }
    }
    const beside = [
      meanwhile(applyListCountChanges),
      meanwhile(applyListCountChanges),
      meanwhile(() => check(assert)),
    ]
    await Promise.all([worker(), worker(), worker(), worker()]).finally(() => (done = true))
    await Promise.all(beside)
    await check(assert)
    await applyListCountChanges()
    assert.lengthOf(await db.from('list_deltas').where('list', table), 0)
    for (let turn = 0; turn < 20; turn++) await check(assert)
  })

  test('pages are the same as without stored counts, for all filters, orders and sizes', async ({
    assert,
  }) => {
    await insert(db.connection(), 700)
    const plain: ListDefinition = { ...list, precounted: undefined }
    const asked = { page: 1, length: 50, status: '', search: '', sort: '', filters: {} }
    const asks: Partial<ListRequest>[] = [
      {},
      { page: 3 },
      { page: 1_000 },
      { length: 500 },
      { status: 'deleted', page: 2 },
      { sort: 'id' },
      { sort: 'id', page: 5 },
      { sort: '-id', page: 2 },
      { sort: 'email' },
      { search: 'counted' },
      { search: 'counted', status: 'pending', page: 2 },
      { search: 'a' },
      { search: 'nobody at all' },
      { sort: '-email', page: 4 },
    ]
    for (const ask of asks) {
      const told = await queryListPage(db.from(table), { ...asked, ...ask }, list)
      const search =
        ask.search && ask.search.length < 3 ? containsOrStartsWith('email') : plain.search
      const truth = await queryListPage(db.from(table), { ...asked, ...ask }, { ...plain, search })
      const { counts, ...facts } = told
      const known = Object.fromEntries(Object.entries(counts!).filter(([, n]) => n !== 0))
      assert.deepEqual({ ...facts, counts: known }, truth, JSON.stringify(ask))
    }
  })

  test('pages sorted by an indexed column have the right rows, from the first page to the last', async ({
    assert,
  }) => {
    await insert(db.connection(), 700)
    const sorts = { id: 'id', created: 'created_at', status: 'status' }
    const walking: ListDefinition = { ...list, sorts, indexOrdered: ['created', 'status'] }
    await db
      .from(table)
      .whereRaw('id % 3 = 0')
      .update({ created_at: new Date(0) })
    for (const sort of ['created', '-created', 'status', '-status']) {
      for (const status of ['', 'pending', 'deleted']) {
        const direction = sort.startsWith('-') ? 'desc' : 'asc'
        const column = sorts[sort.replace('-', '') as 'created']
        const all = await db
          .from(table)
          .if(status, (query) => query.where({ status }))
          .if(!status, (query) => query.whereNot('status', 'deleted'))
          .orderBy([
            { column, order: direction },
            { column: 'id', order: direction },
          ])
          .select('id')
        const asked = { length: 50, status, search: '', sort, filters: {} }
        for (let page = 1; page <= Math.ceil(all.length / 50) + 1; page++) {
          const told = await queryListPage<{ id: number }>(
            db.from(table),
            { ...asked, page },
            walking
          )
          const from = (told.page - 1) * 50
          const its = all.slice(from, from + 50).map(({ id }) => id)
          assert.equal(told.count, all.length)
          assert.deepEqual(
            told.rows.map(({ id }) => id),
            its,
            `${sort} ${status} ${page}`
          )
        }
      }
    }
  })

  test('a search counts at most 1,000 matches and reports that there are more', async ({
    assert,
  }) => {
    await insert(db.connection(), 2 * MAX_HIT_COUNT)
    const asked = { page: 1, length: 50, status: '', search: 'counted', sort: '', filters: {} }
    const all = await queryListPage<{ id: number }>(db.from(table), { ...asked, page: 999 }, list)
    assert.containSubset(all, { count: MAX_HIT_COUNT, more: true, counts: null, page: 20 })
    assert.lengthOf(all.rows, 50)
    const newest = await db.from(table).whereNot('status', 'deleted').orderBy('id', 'desc').first()
    const [first] = (await queryListPage<{ id: number }>(db.from(table), asked, list)).rows
    assert.equal(first.id, newest.id)
    // So few rows have this status that all are counted.
    const one = await queryListPage(db.from(table), { ...asked, status: 'pending' }, list)
    assert.isFalse(one.more)
    const [{ total }] = await db
      .from(table)
      .where('status', 'pending')
      .whereILike('email', '%counted%')
      .count('* as total')
    assert.equal(one.count, Number(total))
  })
})
