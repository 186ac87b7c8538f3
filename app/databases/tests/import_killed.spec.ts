import Database from '#databases/models/database'
import { mysqlTransfer } from '#databases/mysql/transfer/driver'
import { managedServer, accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { type ProxyMoment, startStatementProxy } from '#databases/tests/statement_proxy'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import { startImport } from '#databases/transfer/exclusive_imports'
import Operation from '#core/models/operation'
import { eventually } from '#tests/support/eventually'
import { makeCustomer } from '#tests/support/people'
import { failLeftoverOperations } from '#tests/support/worker'
import { spawnWorker } from '#tests/support/worker_process'
import { test } from '@japa/runner'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** A dump with every kind of object, and enough rows to kill a worker during the import. */
const dump = (age: string) => `
CREATE TABLE goods (id INT PRIMARY KEY, name VARCHAR(40), stuff TEXT) ENGINE=InnoDB;
CREATE TABLE noted (what VARCHAR(80));
${`INSERT INTO goods VALUES ROW;\n`
  .repeat(400)
  .split('\n')
  .map((line, id) => line.replace('ROW', `(${id}, '${age}', '${'x'.repeat(5_000)}')`))
  .join('\n')}
CREATE VIEW names AS SELECT name FROM goods;
DELIMITER $$
CREATE TRIGGER noting AFTER INSERT ON goods FOR EACH ROW INSERT INTO noted VALUES ('${age}')$$
CREATE PROCEDURE act() SELECT '${age}'$$
CREATE EVENT yearly ON SCHEDULE EVERY 1 YEAR DO DELETE FROM noted$$
DELIMITER ;
`

/** Moments at which the worker is killed, and the data that must be visible until the next worker resumes. */
const KILL_POINTS: [string, ProxyMoment, 'old' | 'new'][] = [
  ['before what is there is counted', { at: /SELECT COUNT/ }, 'old'],
  ['when the copy’s account is made', { at: /CREATE USER.*berth_work/, answered: true }, 'old'],
  ['before its shadow is made', { at: /CREATE DATABASE IF NOT EXISTS/ }, 'old'],
  ['when the shadow is made', { at: /CREATE DATABASE `\w*berth_in_/, answered: true }, 'old'],
  ['a quarter fed', { at: 500_000 }, 'old'],
  ['three quarters fed', { at: 1_500_000 }, 'old'],
  ['before the swap', { at: /CREATE DATABASE IF NOT EXISTS `\w*berth_old_/ }, 'old'],
  ['when the triggers are off', { at: /RENAME TABLE/ }, 'old'],
  ['when the tables have moved', { at: /RENAME TABLE/, answered: true }, 'new'],
  ['before the old views go', { at: /DROP VIEW IF EXISTS/ }, 'new'],
  ['when the old events are gone', { at: /DROP EVENT IF EXISTS/, answered: true }, 'new'],
  ['when the old tables are dropped', { at: /DROP DATABASE.*berth_old_/, answered: true }, 'new'],
]

test.group('MySQL | an import whose worker is killed', (group) => {
  let mariadb: Mariadb
  let between: Awaited<ReturnType<typeof startStatementProxy>>

  group.setup(async () => {
    mariadb = await startMariadb()
    between = await startStatementProxy(mariadb.url)
  })
  group.teardown(async () => {
    between.stop()
    await mariadb.stop()
  })

  /** Starts a worker process that connects to the server through the proxy. */
  const begin = () => {
    const before = process.env.MYSQL_URL
    process.env.MYSQL_URL = between.url
    const worker = spawnWorker()
    process.env.MYSQL_URL = before
    return worker
  }

  test('a worker that is killed during an import leaves all of the old or all of the new data', async ({
    assert,
    cleanup,
  }) => {
    // An earlier, failed run of this test may have left operations.
    await failLeftoverOperations()
    const { id: accountId } = await makeCustomer()
    const name = `${accountPrefix(accountId)}shop`
    await mariadb.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
    const database = await Database.create({
      accountId,
      serverInstanceId: null,
      engine: 'mysql' as const,
      name,
      status: 'active' as const,
    })
    // The worker runs all schedules. Statements of a nightly backup could match a moment of the proxy.
    await Database.query().update({ backupNightly: false })
    const shelf = new DatabaseFileStore(managedServer(accountId, 'mysql')!, 'backups')
    const files = { old: shelf.newName('sql'), new: shelf.newName('sql') }
    cleanup(async () => {
      for (const file of Object.values(files)) await shelf.remove(file)
    })
    for (const age of ['old', 'new'] as const) {
      await shelf.put(files[age], Readable.from([dump(age)]))
    }
    const order = (age: 'old' | 'new') => {
      const from = { file: files[age], from: 'backup' as const, filename: `${age}.sql` }
      return startImport(database, { ...from, merge: false }, `Import ${age}`)
    }
    const over = (id: string) =>
      eventually(async () => {
        const operation = await Operation.findOrFail(id)
        if (['queued', 'running'].includes(operation.status)) throw new Error('still running')
        return operation
      }, 600_000)
    const bring = async (age: 'old' | 'new') => {
      const { status, error } = await over((await order(age)).id)
      assert.equal(status, 'done', error ?? '')
    }
    const all = async () => {
      const { body } = await mysqlTransfer.export(managedServer(accountId, 'mysql')!, name)
      const out = await text(body)
      return out.replace(/^-- (?:Dump completed|Host).*$/gm, '').replaceAll(/STARTS '[^']+'/g, '')
    }
    const names = () => mariadb.ask(`SELECT name, COUNT(*) AS n FROM ${name}.goods GROUP BY name`)
    const leftovers = () =>
      mariadb.ask(
        `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA
         WHERE SCHEMA_NAME LIKE '%berth\\_in\\_%' OR SCHEMA_NAME LIKE '%berth\\_old\\_%'`
      )
    // At each moment, the current worker is killed while it imports the new dump. The next worker resumes
    // that import.
    let victim = begin()
    cleanup(async () => {
      between.forget()
      await victim.kill()
    })
    await bring('new')
    const whole = { new: await all(), old: '' }
    for (const [words, moment, meanwhile] of KILL_POINTS) {
      await bring('old')
      whole.old ||= await all()
      assert.isTrue((await all()) === whole.old, `${words}: begun with the old`)
      const deaths: Promise<void>[] = []
      between.when(moment, () => deaths.push(victim.kill()))
      const { id } = await order('new')
      await eventually(() => {
        if (deaths.length === 0) throw new Error(`${words}: that moment never came`)
      })
      await deaths[0]
      assert.equal((await Operation.findOrFail(id)).status, 'running', words)
      assert.deepEqual(await names(), [{ name: meanwhile, n: 400 }], words)
      victim = begin()
      const { status, error } = await over(id)
      assert.include(['done', 'failed'], status, words)
      if (status === 'failed') assert.match(error!, /is unchanged/, words)
      const expected = status === 'done' ? whole.new : whole.old
      assert.isTrue((await all()) === expected, `${words}: ${status}`)
      assert.deepEqual(await leftovers(), [], words)
    }
  }).timeout(1_800_000)
})
