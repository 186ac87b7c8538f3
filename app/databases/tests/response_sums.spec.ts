import { readAllDocuments } from '#databases/mongodb/connect'
import { readCells } from '#databases/mongodb/read_cells'
import { createTemporaryUser } from '#databases/mysql/connect'
import { listDamagedObjects } from '#databases/mysql/transfer/damaged_objects'
import { planSwap } from '#databases/mysql/transfer/swap_databases'
import { accountPrefix, managedServer } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

const TOO_LARGE = /^The answer of the database server was too large/

test.group('MySQL | many large definitions', (group) => {
  let mariadb: Mariadb
  group.setup(async () => {
    // The packets are large because the definition of each view contains a text of 2 MB.
    mariadb = await startMariadb(['--max-allowed-packet=16M'])
    return () => mariadb.stop()
  })

  const makeDatabase = async (prefix: string, views: number) => {
    const name = `${prefix}${views}`
    await mariadb.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
    await mariadb.ask(`CREATE TABLE ${name}.t (a INT)`)
    const text = 'x'.repeat(2 * 1024 ** 2)
    for (let number = 0; number < views; number++) {
      await mariadb.ask(`CREATE VIEW ${name}.v${number} AS SELECT a, '${text}' AS b FROM ${name}.t`)
    }
    return name
  }

  test('an import and an export reject definitions that are too large together', async ({
    assert,
  }) => {
    const { id } = await makeCustomer()
    const server = managedServer(id, 'mysql')!
    const prefix = accountPrefix(id)
    const empty = await makeDatabase(`${prefix}empty`, 0)
    const few = await makeDatabase(prefix, 3)
    const many = await makeDatabase(prefix, 10)
    const plan = (shadow: string) =>
      planSwap(server, { database: empty, shadow, aside: `${prefix}a` })
    assert.lengthOf((await plan(few)).recreated, 3)
    await assert.rejects(() => plan(many), TOO_LARGE)
    // Without their table, all views are damaged.
    for (const name of [few, many]) await mariadb.ask(`DROP TABLE ${name}.t`)
    const listDamage = async (name: string) => {
      const account = await createTemporaryUser(server, name, 'dump')
      return listDamagedObjects(server, name, account).finally(account.drop)
    }
    assert.lengthOf(await listDamage(few), 3)
    await assert.rejects(() => listDamage(many), TOO_LARGE)
  }).timeout(60_000)
})

test.group('MongoDB | many large replies', () => {
  /**
   * Yields large documents. FerretDB cannot provide them, because it does not split its replies at 16 MB like
   * MongoDB.
   */
  const list = async function* (documents: number) {
    for (let number = 0; number < documents; number++) {
      yield await Promise.resolve({ name: 'x'.repeat(8 * 1024 ** 2) })
    }
  }

  test('a list from the server has a limit of bytes', async ({ assert }) => {
    assert.lengthOf(await readAllDocuments(list(3)), 3)
    await assert.rejects(() => readAllDocuments(list(5)), TOO_LARGE)
  })

  test('a page and a query are truncated at a limit of bytes', async ({ assert }) => {
    const few = await readCells(list(3), 50)
    assert.deepEqual([few.rows.length, few.more], [3, false])
    const cut = await readCells(list(6), 50)
    assert.deepEqual([cut.rows.length, cut.more], [3, true])
    const limited = await readCells(list(6), 2)
    assert.deepEqual([limited.rows.length, limited.more], [2, true])
  })
})
