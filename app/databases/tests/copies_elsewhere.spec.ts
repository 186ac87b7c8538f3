import { beginBackup } from '#databases/actions/begin_backup'
import { keepCopiesIn } from '#databases/copy_places'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { pruneDroppedCopies } from '#databases/schedules/prune_copies'
import { sendCopies } from '#databases/schedules/send_copies'
import { managedServer, prefixOf } from '#databases/servers/reach'
import { LARGEST_ELSEWHERE } from '#databases/limits'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { ScriptedKeeper } from '#databases/tests/scripted_keeper'
import { deleteBackup, tidyBackups } from '#databases/transfer/make_backup'
import { sendCopy } from '#databases/transfer/elsewhere'
import { Store } from '#databases/transfer/store'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

const PLACE = 7

test.group('Copies of databases in a second place', (group) => {
  let mariadb: Mariadb
  let keeper: ScriptedKeeper
  let visitor: Visitor
  let database: Database

  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })
  group.each.timeout(120_000)
  group.each.setup(async () => {
    keeper = await ScriptedKeeper.start()
    const before = keepCopiesIn(keeper)
    const customer = await makeCustomer()
    visitor = await signIn(customer)
    const name = `${prefixOf(customer.id)}shop`
    await mariadb.ask(`CREATE DATABASE ${name}`)
    await mariadb.ask(`CREATE TABLE ${name}.goods (id INT PRIMARY KEY)`)
    await mariadb.ask(`INSERT INTO ${name}.goods VALUES (1), (2)`)
    database = await Database.create({
      ...{ accountId: customer.id, serverInstanceId: null, engine: 'mysql', name },
      ...{ status: 'active', backupVaultId: PLACE },
    })
    return async () => {
      keepCopiesIn(before)
      await keeper.stop()
    }
  })

  const server = () => managedServer(database.accountId, 'mysql')!
  const store = () => new Store(server(), 'backups')

  const copied = async (reason: DatabaseBackup['reason'] = 'asked') => {
    const { id } = await beginBackup(await database.refresh(), reason)
    await runSteps(id)
    assertDone(await Operation.findOrFail(id))
    const copies = DatabaseBackup.query().where({ databaseId: database.id })
    return copies.orderBy('id', 'desc').firstOrFail()
  }

  /** A look of the schedule at this database's copies alone. */
  const look = async (now?: DateTime<true>) => {
    await DatabaseBackup.query()
      .whereNot('databaseId', database.id)
      .update({ elsewhereVaultId: null })
    await sendCopies(undefined, now)
  }

  test('a copy is sent as it is, and what is not whole there is not there', async ({ assert }) => {
    const backup = await copied()
    const sent = keeper.objects.get(backup.elsewhere!)!
    assert.equal(createHash('sha256').update(sent).digest('hex'), backup.digest)
    assert.isNotNull(backup.sentAt)
    // A copy that is other than it was written stands in no second place.
    await store().put(backup.file!, Readable.from([randomBytes(backup.sizeBytes!)]))
    await backup.merge({ sentAt: null }).save()
    await sendCopy(backup, database)
    assert.match(backup.elsewhereError!, /damaged/)
    assert.isNull((await backup.refresh()).sentAt)
    assert.equal(keeper.objects.size, 0)
  })

  test('what fails leaves a good copy, says why, and is tried again', async ({ assert }) => {
    for (const [failure, words] of [
      ['refuse', /It is full/],
      ['cut', /could not be sent/],
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

  test('is tried for a week, and never where it is too large', async ({ assert }) => {
    keeper.failure = 'refuse'
    const backup = await copied()
    keeper.failure = null
    await backup.merge({ createdAt: DateTime.utc().minus({ days: 8 }) }).save()
    await look()
    assert.equal(keeper.objects.size, 0)
    await backup.merge({ sizeBytes: LARGEST_ELSEWHERE + 1, elsewhereError: null }).save()
    await sendCopy(backup, database)
    assert.match(backup.elsewhereError!, /5 GB/)
    assert.equal(keeper.objects.size, 0)
  })

  test('without a second place nothing goes anywhere', async ({ assert }) => {
    await database.merge({ backupVaultId: null }).save()
    const backup = await copied()
    await look(DateTime.utc().plus({ hours: 2 }))
    assert.isNull((await backup.refresh()).elsewhereVaultId)
    assert.equal(keeper.asked, 0)
  })

  test('goes there too when it goes: by number, by age and by hand', async ({ assert }) => {
    await database.merge({ backupKeep: 1 }).save()
    const first = await copied('nightly')
    const second = await copied('nightly')
    assert.deepEqual([...keeper.objects.keys()], [second.elsewhere])
    assert.equal((await first.refresh()).status, 'deleted')

    // One that cannot be taken away there now stays known, and goes another time.
    keeper.failure = 'problem'
    const third = await copied('nightly')
    assert.equal((await second.refresh()).status, 'done')
    keeper.failure = null
    await tidyBackups(database)
    assert.equal((await second.refresh()).status, 'deleted')
    assert.equal(keeper.objects.size, 0)

    await look()
    assert.equal(keeper.objects.size, 1)
    await deleteBackup(await third.refresh(), database)
    assert.equal(keeper.objects.size, 0)
  })

  test('is downloaded from there when its own file is gone', async ({ assert }) => {
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

  test('of a database that was dropped go by their age', async ({ assert }) => {
    const backup = await copied()
    await database.merge({ status: 'deleted', deletedAt: DateTime.utc() }).save()
    await pruneDroppedCopies(DateTime.utc().plus({ days: 31 }))
    assert.equal((await backup.refresh()).status, 'deleted')
    assert.equal(keeper.objects.size, 0)
  })
})

function assertDone({ status, error, trouble }: Operation): void {
  if (status !== 'done') throw new Error(error ?? trouble ?? status)
}
