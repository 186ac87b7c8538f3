import { startDatabaseBackup } from '#databases/actions/start_database_backup'
import { MAX_MANAGED_BACKUP_BYTES, MAX_MANUAL_BACKUPS } from '#databases/limits'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { accountPrefix, managedServer } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { deleteExpiredBackups, listExpiredBackups } from '#databases/transfer/backup_lifecycle'
import { storageFolderPath } from '#databases/transfer/file_store'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

test.group('MySQL | limits of backups', (group) => {
  let mariadb: Mariadb
  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })

  const makeShop = async () => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const name = `${accountPrefix(customer.id)}shop`
    await mariadb.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
    await mariadb.ask(`CREATE TABLE ${name}.t (a INT)`)
    const database = await Database.create({
      accountId: customer.id,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
    })
    const order = () => visitor.post('/database/backup/store', { database_id: database.id })
    const run = async (id: string) => {
      await runSteps(id)
      return Operation.findOrFail(id)
    }
    const backUp = async () => {
      const { status, json, text } = await order()
      if (status !== 202) throw new Error(text)
      const done = await run((json.data as { operation: { id: string } }).operation.id)
      if (done.status !== 'done') throw new Error(done.error ?? done.status)
      return DatabaseBackup.findOrFail(done.result!.backup as number)
    }
    return { customer, database, order, run, backUp }
  }

  test('a database has one manual backup running at a time, and at most 20', async ({ assert }) => {
    const { database, order, run, backUp } = await makeShop()
    const answers = await Promise.all([order(), order()])
    assert.sameMembers(
      answers.map(({ status }) => status),
      [202, 409]
    )
    const rejected = answers.find(({ status }) => status === 409)!
    assert.match(String(rejected.json.message), /already queued or running/)
    const started = answers.find(({ status }) => status === 202)!
    await run((started.json.data as { operation: { id: string } }).operation.id)
    const { file, accountId, format } = await backUp()
    await DatabaseBackup.createMany(
      Array.from({ length: MAX_MANUAL_BACKUPS - 2 }, () => ({
        databaseId: database.id,
        accountId,
        format,
        file,
        reason: 'asked' as const,
        status: 'done' as const,
      }))
    )
    const { status, json } = await order()
    assert.equal(status, 409)
    assert.equal(
      json.message,
      `This database has 20 manual backups. The limit is 20. Delete some and try again. The oldest are from ${Array(3).fill(DateTime.utc().toISODate()).join(', ')}.`
    )
    await DatabaseBackup.query().where({ databaseId: database.id }).delete()
  })

  test('the backups of an account on the managed server have a limit of bytes', async ({
    assert,
  }) => {
    const { customer, database, order, run, backUp } = await makeShop()
    const large = await backUp()
    await large.merge({ sizeBytes: MAX_MANAGED_BACKUP_BYTES }).save()
    const { status, json } = await order()
    assert.equal(status, 507)
    assert.equal(
      json.message,
      `The backups of one account may take up 20.0 GB on the managed server. They already take up 20.0 GB. Delete some and try again. The largest are: shop from ${large.createdAt.toISODate()} (20.0 GB).`
    )
    const nightly = await run((await startDatabaseBackup(database, 'nightly')).id)
    assert.equal(nightly.status, 'failed')
    assert.equal(nightly.error, json.message)
    // Now 100 bytes are left, so the dump does not fit.
    await large.merge({ sizeBytes: MAX_MANAGED_BACKUP_BYTES - 100 }).save()
    const cut = await run((await startDatabaseBackup(database, 'nightly')).id)
    assert.equal(cut.status, 'failed')
    assert.match(cut.error!, /Only 0\.0 GB were left for this backup, which is larger/)
    const folder = storageFolderPath(managedServer(customer.id, 'mysql')!, 'backups')
    const { file } = await DatabaseBackup.query().orderBy('id', 'desc').firstOrFail()
    assert.isFalse(existsSync(join(folder, file!)))
    assert.equal((await (await makeShop()).backUp()).status, 'done')
    await large.merge({ sizeBytes: 1_000 }).save()
    const newest = await backUp()
    // A new backup first deletes expired ones, except the newest backup.
    const long = DateTime.utc().minus({ days: 400 })
    await large.merge({ reason: 'nightly', sizeBytes: MAX_MANAGED_BACKUP_BYTES }).save()
    await DatabaseBackup.query().where({ id: large.id }).update({ created_at: long.toSQL() })
    const next = await run((await startDatabaseBackup(database, 'nightly')).id)
    assert.equal(next.status, 'done', next.error ?? '')
    assert.equal((await large.refresh()).status, 'deleted')
    assert.equal((await newest.refresh()).status, 'done')
  })

  test('manual backups do not expire, except failed ones', async ({ assert }) => {
    const { database, backUp } = await makeShop()
    const [good, failed] = [await backUp(), await backUp()]
    await failed.merge({ status: 'failed' }).save()
    await deleteExpiredBackups(await database.refresh())
    const later = DateTime.utc().plus({ days: 400 })
    const expired = await listExpiredBackups(database, later)
    assert.deepEqual(
      expired.map(({ id }) => id),
      [failed.id]
    )
    assert.equal((await good.refresh()).status, 'done')
  })
})
