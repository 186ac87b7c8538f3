import { subscribe } from '#core/live/live_events'
import { serverTopic } from '#databases/servers/sync_server'
import { refreshDatabaseServer } from '#databases/actions/refresh_database_server'
import Database from '#databases/models/database'
import DatabaseServer from '#databases/models/database_server'
import { mysqlMonitoring } from '#databases/mysql/monitoring'
import { loadCapacityWarning } from '#databases/query/capacity_warning'
import { managedServer, accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { freeBytesWithinQuota } from '#instances/public'
import { makeInstance } from '#guest/tests/instances'
import { eventually } from '#tests/support/eventually'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Databases: monitoring', (group) => {
  let maria: Mariadb

  group.setup(async () => {
    maria = await startMariadb()
    return () => maria.stop()
  })

  const makeDatabase = async () => {
    const { id: accountId } = await makeCustomer()
    const name = `${accountPrefix(accountId)}shop`
    await maria.root.query(`create database ${name}`)
    await maria.root.query(`use ${name}`)
    await maria.root.query(`create table ${name}.items (id int primary key, text longtext)`)
    await maria.root.query(
      `insert into ${name}.items select seq, repeat('x', 1000) from seq_1_to_2000`
    )
    await maria.root.query(`analyze table ${name}.items`)
    return Database.create({
      accountId,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
    })
  }
  test('databases are measured, and open pages are notified of changes', async ({
    assert,
    cleanup,
  }) => {
    const database = await makeDatabase()
    const server = managedServer(database.accountId, 'mysql')!
    let told = 0
    cleanup(await subscribe(serverTopic(server), () => void told++))
    await refreshDatabaseServer(server)
    await database.refresh()
    assert.isAbove(database.sizeBytes!, 1_000_000)
    assert.equal(database.tables, 1)
    await eventually(() => assert.equal(told, 1))
    await refreshDatabaseServer(server)
    assert.equal(told, 1)
  })

  test('little free space on an instance causes a warning for its database server', async ({
    assert,
  }) => {
    const { id: accountId } = await makeCustomer()
    const of = { instanceType: 'regular' as const, memoryBytes: 1024 ** 3 }
    const instance = await makeInstance({ id: accountId }, of)
    await instance.refresh()
    assert.isNull(await loadCapacityWarning(instance, 'mysql'))
    const row = await DatabaseServer.create({
      accountId,
      serverInstanceId: instance.id,
      engine: 'mysql',
      status: 'running',
      dataBytes: 5,
      largestBytes: 5,
      poolBytes: 5,
      freeBytes: 50 * 1024 ** 3,
    })
    assert.isNull(await loadCapacityWarning(instance, 'mysql'))
    await row.merge({ freeBytes: 1024 }).save()
    assert.include((await loadCapacityWarning(instance, 'mysql'))!, 'cannot save changes')
    assert.isNull(await loadCapacityWarning(instance, 'mongodb'))
  })

  test('free space is the rest of the instance’s quota, not that of the storage pool', async ({
    assert,
  }) => {
    const gib = 1024 ** 3
    const { id } = await makeCustomer()
    const quota = { diskBytes: 22 * gib, imageBytes: 2 * gib }
    const instance = await makeInstance({ id }, { ...quota, diskUsed: 5 * gib })
    assert.equal(freeBytesWithinQuota(instance, 39 * gib), 15 * gib)
    assert.equal(freeBytesWithinQuota(instance, 3 * gib), 3 * gib)
    assert.equal(freeBytesWithinQuota(instance, null), 15 * gib)
    assert.equal(freeBytesWithinQuota({ ...quota, diskUsed: null }, 39 * gib), 39 * gib)
    assert.equal(freeBytesWithinQuota({ ...quota, diskUsed: 30 * gib }, gib), 0)
  })

  test('slow statements are shown without values, and only for their own database', async ({
    assert,
  }) => {
    const one = await makeDatabase()
    const other = await makeDatabase()
    const server = managedServer(one.accountId, 'mysql')!
    await assert.rejects(
      () => mysqlMonitoring.listSlowQueries(server, one.name),
      /does not record slow queries/
    )
    await maria.root.query(`set global log_output = 'TABLE', global slow_query_log = 1`)
    await maria.root.query('set session long_query_time = 0, session slow_query_log = 1')
    for (const { name } of [one, other]) {
      await maria.root.query(`use ${name}`)
      for (const word of ['a secret', 'another']) {
        await maria.root.query(
          `select id from items where id = 1 and (text = '${word}' or sleep(0.05) = 7)`
        )
      }
    }
    const found = await eventually(async () => {
      const queries = await mysqlMonitoring.listSlowQueries(server, one.name)
      const mine = queries.find(({ statement }) => statement.startsWith('select id from items'))
      assert.equal(mine?.count, 2)
      return mine!
    })
    assert.equal(
      found.statement,
      'select id from items where id = ? and (text = ? or sleep(?) = ?)'
    )
    assert.isAbove(found.max, 0.04)
    assert.isBelow(Math.abs(Date.parse(found.last) - Date.now()), 300_000)
    await assert.rejects(() => mysqlMonitoring.clearSlowQueries(server), /share the managed/)
  })
})
