import { subscribe } from '#core/live/live'
import Database from '#databases/models/database'
import { mysqlWatch } from '#databases/mysql/watch'
import { prefixOf } from '#databases/servers/reach'
import { measureSizes } from '#databases/schedules/sizes'
import { startMariadb, type TestMariadb } from '#databases/tests/mariadb'
import { makeInstance } from '#guest/tests/instances'
import { eventually } from '#tests/support/eventually'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

test.group('Databases: what is watched', (group) => {
  let maria: TestMariadb

  group.setup(async () => {
    maria = await startMariadb()
    return () => maria.stop()
  })

  /** A database with a table of some size. */
  const makeDatabase = async () => {
    const { id: accountId } = await makeCustomer()
    const name = `${prefixOf(accountId)}shop`
    await maria.root.query(`create database ${name}`)
    await maria.root.query(`create table ${name}.items (id int primary key, text longtext)`)
    await maria.root.query(
      `insert into ${name}.items select seq, repeat('x', 1000) from seq_1_to_2000`
    )
    await maria.root.query(`analyze table ${name}.items`)
    return Database.create({
      ...{ accountId, serverInstanceId: null, engine: 'mysql', name, status: 'active' },
    })
  }
  const measure = (now = DateTime.utc()) => measureSizes(new AbortController().signal, now)

  test('databases are measured, and whoever looks is told', async ({ assert, cleanup }) => {
    const database = await makeDatabase()
    let told = 0
    cleanup(await subscribe(`database:${database.id}`, () => void told++))
    await measure()
    await database.refresh()
    assert.isAbove(database.sizeBytes!, 1_000_000)
    assert.equal(database.tables, 1)
    await eventually(() => assert.equal(told, 1))
    const first = database.measuredAt!
    await measure()
    assert.isTrue((await database.refresh()).measuredAt!.equals(first))
    await measure(DateTime.utc().plus({ hours: 1 }))
    assert.isTrue((await database.refresh()).measuredAt! > first)
    assert.equal(told, 1)
  })

  test('what does not run keeps its figures and holds up nobody', async ({ assert }) => {
    const { id: accountId } = await makeCustomer()
    const { id: serverInstanceId } = await makeInstance(
      { id: accountId },
      { status: 'stopped', instanceType: 'regular' }
    )
    const away = await Database.create({
      ...{ accountId, serverInstanceId, engine: 'mysql', name: 'shop', status: 'active' },
      sizeBytes: 5,
    })
    const database = await makeDatabase()
    await measure()
    await Promise.all([away.refresh(), database.refresh()])
    assert.isNull(away.measuredAt)
    assert.equal(away.sizeBytes, 5)
    assert.isNotNull(database.measuredAt)
  })

  test('what took long is shown without values, of its own database alone', async ({ assert }) => {
    const one = await makeDatabase()
    const other = await makeDatabase()
    const server = maria.serverOf(one.accountId)
    await assert.rejects(() => mysqlWatch.slow(server, one.name), /does not write down/)
    await maria.root.query(`set global log_output = 'TABLE', global slow_query_log = 1`)
    await maria.root.query('set session long_query_time = 0, session slow_query_log = 1')
    for (const { name } of [one, other]) {
      await maria.root.query(`use ${name}`)
      for (const word of ['a secret', 'another']) {
        await maria.root.query(`select id from items where text = '${word}' or sleep(0.001) = 7`)
      }
    }
    const found = await eventually(async () => {
      const queries = await mysqlWatch.slow(server, one.name)
      const mine = queries.find(({ statement }) => statement.startsWith('select id from items'))
      assert.equal(mine?.count, 2)
      return mine!
    })
    assert.equal(found.statement, 'select id from items where text = ? or sleep(?) = ?')
    assert.isAbove(found.max, 1)
    assert.isBelow(Math.abs(Date.parse(found.last) - Date.now()), 300_000)
    await assert.rejects(() => mysqlWatch.forgetSlow(server), /shared/)
  })
})
