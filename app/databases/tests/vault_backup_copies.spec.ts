import { startDatabaseBackup } from '#databases/actions/start_database_backup'
import { markInstanceDatabasesDeleted } from '#databases/actions/mark_databases_deleted'
import { bindBackupCopyDestinationProvider } from '#databases/backup_copy_destinations'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { pruneDroppedDatabaseBackups } from '#databases/schedules/prune_dropped_database_backups'
import { retryBackupCopies } from '#databases/schedules/retry_backup_copies'
import { managedServer, accountPrefix } from '#databases/servers/resolve_database_server'
import { MAX_VAULT_COPY_BYTES } from '#databases/limits'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { FakeCopyDestination } from '#databases/tests/fake_copy_destination'
import { deleteBackup, deleteExpiredBackups } from '#databases/transfer/backup_lifecycle'
import { sendToDestination } from '#databases/transfer/backup_copies'
import { storageFolderPath, DatabaseFileStore } from '#databases/transfer/file_store'
import Operation from '#core/models/operation'
import type { DatabaseListPage } from '#databases/transformers/page_props'
import { makeInstance } from '#guest/tests/instances'
import { Person } from '#identity/public'
import { runSteps } from '#core/operations/runner'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'

const VAULT_ID = 7

test.group('Copies of database backups in a vault', (group) => {
  let mariadb: Mariadb
  let keeper: FakeCopyDestination
  let visitor: Visitor
  let database: Database

  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })
  group.each.timeout(600_000)
  group.each.setup(async () => {
    keeper = await FakeCopyDestination.start()
    const before = bindBackupCopyDestinationProvider(keeper)
    const customer = await makeCustomer()
    visitor = await signIn(customer)
    const name = `${accountPrefix(customer.id)}shop`
    await mariadb.ask(`CREATE DATABASE ${name}`)
    await mariadb.ask(`CREATE TABLE ${name}.goods (id INT PRIMARY KEY)`)
    await mariadb.ask(`INSERT INTO ${name}.goods VALUES (1), (2)`)
    database = await Database.create({
      accountId: customer.id,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
      backupVaultId: VAULT_ID,
    })
    return async () => {
      bindBackupCopyDestinationProvider(before)
      await keeper.stop()
    }
  })

  const server = () => managedServer(database.accountId, 'mysql')!
  const store = () => new DatabaseFileStore(server(), 'backups')

  const copied = async (reason: DatabaseBackup['reason'] = 'asked') => {
    const { id } = await startDatabaseBackup(await database.refresh(), reason)
    await runSteps(id)
    assertDone(await Operation.findOrFail(id))
    const copies = DatabaseBackup.query().where({ databaseId: database.id })
    return copies.orderBy('id', 'desc').firstOrFail()
  }

  const look = async (now?: DateTime<true>) => {
    await DatabaseBackup.query()
      .whereNot('databaseId', database.id)
      .update({ elsewhereVaultId: null })
    await retryBackupCopies(undefined, now)
  }

  test('a copy equals its backup, and a damaged backup is not copied', async ({ assert }) => {
    const backup = await copied()
    const sent = keeper.objects.get(backup.elsewhere!)!
    assert.equal(createHash('sha256').update(sent).digest('hex'), backup.digest)
    assert.isNotNull(backup.sentAt)
    // The file no longer matches the checksum of the backup, so no copy of it may remain in the vault.
    await store().put(backup.file!, Readable.from([randomBytes(backup.sizeBytes!)]))
    await backup.merge({ sentAt: null }).save()
    await sendToDestination(backup, database)
    assert.match(backup.elsewhereError!, /damaged/)
    assert.isNull((await backup.refresh()).sentAt)
    assert.equal(keeper.objects.size, 0)
  })

  test('a failed copy keeps the good backup, shows the reason, and is retried', async ({
    assert,
  }) => {
    for (const [failure, words] of [
      ['refuse', /It is full/],
      ['cut', /could not be copied/],
      ['problem', /Not now/],
    ] as const) {
      keeper.failure = failure
      const backup = await copied()
      assert.equal(backup.status, 'done')
      assert.match(backup.elsewhereError!, words)
      assert.isNull(backup.sentAt)
      assert.equal(keeper.objects.size, 0)
      keeper.failure = null
      await look()
      await backup.refresh()
      assert.isNull(backup.elsewhereError)
      assert.equal(keeper.objects.get(backup.elsewhere!)!.length, backup.sizeBytes)
      keeper.objects.clear()
    }
  })

  test('a copy is retried for a week, and a backup above 5 GB is not copied', async ({
    assert,
  }) => {
    keeper.failure = 'refuse'
    const backup = await copied()
    keeper.failure = null
    await backup.merge({ createdAt: DateTime.utc().minus({ days: 8 }) }).save()
    await look()
    assert.equal(keeper.objects.size, 0)
    await backup.merge({ sizeBytes: MAX_VAULT_COPY_BYTES + 1, elsewhereError: null }).save()
    await sendToDestination(backup, database)
    assert.match(backup.elsewhereError!, /5 GB/)
    assert.equal(keeper.objects.size, 0)
  })

  test('a database without a vault gets no copies', async ({ assert }) => {
    await database.merge({ backupVaultId: null }).save()
    const backup = await copied()
    await look(DateTime.utc().plus({ hours: 2 }))
    assert.isNull((await backup.refresh()).elsewhereVaultId)
    assert.equal(keeper.asked, 0)
  })

  test('a copy is deleted with its backup, by retention rule or manually', async ({ assert }) => {
    await database.merge({ backupKeep: 1 }).save()
    const first = await copied('nightly')
    const second = await copied('nightly')
    assert.deepEqual([...keeper.objects.keys()], [second.elsewhere])
    assert.equal((await first.refresh()).status, 'deleted')

    // If the copy in the vault cannot be deleted, the backup remains until a later run deletes it.
    keeper.failure = 'problem'
    const third = await copied('nightly')
    assert.equal((await second.refresh()).status, 'done')
    keeper.failure = null
    await deleteExpiredBackups(database)
    assert.equal((await second.refresh()).status, 'deleted')
    assert.equal(keeper.objects.size, 0)

    await look()
    assert.equal(keeper.objects.size, 1)
    await deleteBackup(await third.refresh(), database)
    assert.equal(keeper.objects.size, 0)
  })

  test('a backup whose file is missing is downloaded from its copy', async ({ assert }) => {
    const backup = await copied()
    const download = () => visitor.get(`/database/backup/${backup.id}/download`)
    await store().remove(backup.file!)
    const { status, text } = await download()
    assert.equal(status, 200)
    assert.isNotEmpty(text)
    assert.isAbove(keeper.reads, 0)
    keeper.objects.clear()
    assert.equal((await download()).status, 409)
  })

  test('a backup whose file is missing or damaged is restored from its copy', async ({
    assert,
  }) => {
    const backup = await copied()
    const restore = async (name: string) => {
      const body = { id: backup.id, how: 'beside', database_name: name }
      const answer = await visitor.post('/database/backup/restore', body)
      assert.equal(answer.status, 202, answer.text)
      const { id } = (answer.json.data as { operation: { id: string } }).operation
      await runSteps(id)
      return Operation.findOrFail(id)
    }
    const goods = (name: string) =>
      mariadb.ask(`SELECT id FROM ${accountPrefix(database.accountId)}${name}.goods`)
    await store().remove(backup.file!)
    assertDone(await restore('one'))
    assert.lengthOf(await goods('one'), 2)
    await store().put(backup.file!, Readable.from([randomBytes(backup.sizeBytes!)]))
    assertDone(await restore('two'))
    assert.lengthOf(await goods('two'), 2)

    // A changed copy must not be restored, and no part of it may stay on the machine.
    const other = Buffer.from(keeper.objects.get(backup.elsewhere!)!)
    // Byte 9 of a gzip header names the operating system. With another value, the file stays valid, but its
    // checksum changes.
    other[9] ^= 1
    keeper.objects.set(backup.elsewhere!, other)
    const failed = await restore('three')
    assert.equal(failed.status, 'failed')
    assert.match(failed.error!, /does not match its checksum/)
    const files = await readdir(storageFolderPath(server(), 'imports'))
    assert.notInclude(files, failed.input.file as string)
  })

  test('a copy outlives its instance, and is restored on another server', async ({ assert }) => {
    const backup = await copied()
    const { id } = await makeInstance(await Person.findOrFail(database.accountId), {
      status: 'stopped',
    })
    await database.merge({ serverInstanceId: id }).save()
    const other = await DatabaseBackup.create({
      databaseId: database.id,
      accountId: database.accountId,
      reason: 'asked',
      status: 'done',
      format: 'sql.gz',
      file: 'gone.sql.gz',
    })
    await db.transaction((trx) => markInstanceDatabasesDeleted({ id }, trx))
    assert.equal((await other.refresh()).status, 'deleted')

    const shown = await visitor.page('/database/mysql?server_instance_id=managed')
    const { droppedCopies } = shown.json.props as unknown as DatabaseListPage
    assert.deepEqual(
      droppedCopies.map((row) => [row.id, row.vault!.state]),
      [[backup.id, 'sent']]
    )
    assert.equal((await visitor.get(`/database/backup/${backup.id}/download`)).status, 200)
    const back = await visitor.post('/database/backup/restore', {
      id: backup.id,
      how: 'beside',
      database_name: 'back',
      server_instance_id: 'managed',
    })
    const { operation } = back.json.data as { operation: { id: string } }
    await runSteps(operation.id)
    assertDone(await Operation.findOrFail(operation.id))
    const name = `${accountPrefix(database.accountId)}back`
    assert.lengthOf(await mariadb.ask(`SELECT id FROM ${name}.goods`), 2)

    await pruneDroppedDatabaseBackups(DateTime.utc().plus({ days: 31 }))
    assert.equal(keeper.objects.size, 0)
  })

  test('copies of a dropped database expire by age', async ({ assert }) => {
    const backup = await copied()
    await database.merge({ status: 'deleted', deletedAt: DateTime.utc() }).save()
    await pruneDroppedDatabaseBackups(DateTime.utc().plus({ days: 31 }))
    assert.equal((await backup.refresh()).status, 'deleted')
    assert.equal(keeper.objects.size, 0)
  })
})

function assertDone({ status, error, trouble }: Operation): void {
  if (status !== 'done') throw new Error(error ?? trouble ?? status)
}
