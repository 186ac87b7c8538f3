import Database from '#databases/models/database'
import { withConnection } from '#databases/mysql/connect'
import { managedServer, accountPrefix } from '#databases/servers/resolve_database_server'
import {
  assertMovedUnchanged,
  assertTablesUnchanged,
  readTableStates,
} from '#databases/mysql/transfer/table_states'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { startStatementProxy } from '#databases/tests/statement_proxy'
import { startImport } from '#databases/transfer/exclusive_imports'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { eventually } from '#tests/support/eventually'
import { makeCustomer } from '#tests/support/people'
import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import type { Connection } from 'mysql2/promise'
import { Readable } from 'node:stream'

/** A dump whose import waits while a program holds the lock `writing`. */
const FILE =
  "CREATE TABLE added (id INT); INSERT INTO added VALUES (1); SELECT GET_LOCK('writing', 300);"

const WRITES: Record<string, string> = {
  posts: "UPDATE posts SET text = 'written meanwhile'",
  orders: "UPDATE orders SET state = 'paid'",
  notes: 'ALTER TABLE notes ADD COLUMN author INT',
  created: 'CREATE TABLE created (id INT)',
  dropped: 'DROP TABLE dropped',
}

test.group('MySQL | an import while a program writes', (group) => {
  let mariadb: Mariadb
  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })

  const makeShop = async () => {
    const { id: accountId } = await makeCustomer()
    const name = `${accountPrefix(accountId)}shop`
    await mariadb.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
    const program = await mariadb.signIn('keeper', new URL(mariadb.url).password, name)
    for (const statement of [
      'CREATE TABLE posts (id INT PRIMARY KEY, text VARCHAR(40)) ENGINE=InnoDB',
      "INSERT INTO posts VALUES (1, 'before')",
      'CREATE TABLE orders (id INT, state VARCHAR(9)) ENGINE=MyISAM',
      "INSERT INTO orders VALUES (1, 'open')",
      'CREATE TABLE notes (id INT)',
      'CREATE TABLE dropped (id INT)',
      'CREATE VIEW titles AS SELECT text FROM posts',
      'CREATE TRIGGER noting AFTER INSERT ON posts FOR EACH ROW INSERT INTO notes (id) VALUES (NEW.id)',
    ]) {
      await program.query(statement)
    }
    const database = await Database.create({
      accountId,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
    })
    const shelf = new DatabaseFileStore(managedServer(accountId, 'mysql')!, 'imports')
    const begin = async (merge: boolean) => {
      const file = shelf.newName('sql')
      await shelf.put(file, Readable.from([FILE]))
      const input = { file, from: 'upload' as const, filename: 'more.sql', merge }
      const { id } = await startImport(database, input, 'Import')
      return runSteps(id).then(() => Operation.findOrFail(id))
    }
    return { name, program, begin }
  }

  /** Runs `write` while the import waits for the lock `writing`, then releases the lock. */
  const writeMeanwhile = async (program: Connection, write: () => Promise<unknown>) => {
    await eventually(async () => {
      const running = await mariadb.ask('SHOW PROCESSLIST')
      if (running.some(({ Info }) => /^\s*SELECT GET_LOCK/i.test(String(Info)))) return
      throw new Error('The file is not being imported')
    })
    await write()
    await program.query("SELECT RELEASE_LOCK('writing')")
  }

  const readAll = async (program: Connection) => ({
    posts: (await program.query('SELECT * FROM posts'))[0],
    orders: (await program.query('SELECT * FROM orders'))[0],
    tables: (await program.query('SHOW FULL TABLES'))[0],
    triggers: (await program.query('SHOW TRIGGERS'))[0],
  })

  const leftovers = (name: string) =>
    mariadb.ask(
      `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE ?`,
      [`${name.split('_')[0]}\\_berth%`]
    )

  for (const [table, statement] of Object.entries(WRITES)) {
    test(`a merge fails and changes nothing if a program writes meanwhile: ${table}`, async ({
      assert,
    }) => {
      const { name, program, begin } = await makeShop()
      await program.query("SELECT GET_LOCK('writing', 0)")
      const imported = begin(true)
      await writeMeanwhile(program, () => program.query(statement))
      const before = await readAll(program)
      const { status, error } = await imported
      assert.equal(status, 'failed')
      assert.equal(
        error,
        `A program changed the table ${table} during the import, so nothing was imported. Stop programs that write to the database and import again.`
      )
      assert.deepEqual(await readAll(program), before)
      assert.deepEqual(await leftovers(name), [])
      await program.end()
    })
  }

  test('a merge fails and keeps the rows of a transaction that is open when the tables move', async ({
    assert,
  }) => {
    const { name, program, begin } = await makeShop()
    // With the trigger, the swap would wait for the transaction at DROP TRIGGER, before it moves the tables.
    await program.query('DROP TRIGGER noting')
    await program.query("SELECT GET_LOCK('writing', 0)")
    const imported = begin(true)
    await writeMeanwhile(program, async () => {
      await program.query('START TRANSACTION')
      await program.query("INSERT INTO posts VALUES (2, 'written meanwhile')")
    })
    await eventually(async () => {
      const running = await mariadb.ask('SHOW PROCESSLIST')
      if (running.some(({ Info }) => String(Info).startsWith('RENAME TABLE'))) return
      throw new Error('The tables are not being moved')
    })
    await program.query('COMMIT')
    const { status, error } = await imported
    assert.equal(status, 'failed')
    assert.match(error!, /^A program changed the table posts during the import/)
    const { posts, tables } = await readAll(program)
    assert.deepEqual(posts as unknown, [
      { id: 1, text: 'before' },
      { id: 2, text: 'written meanwhile' },
    ])
    assert.lengthOf(tables as unknown[], 5)
    assert.deepEqual(await leftovers(name), [])
    await program.end()
  })

  test('an import that keeps the data detects a write within the same second as an earlier write', async ({
    assert,
  }) => {
    const { name, program } = await makeShop()
    const { accountId } = await Database.findByOrFail('name', name)
    const server = managedServer(accountId, 'mysql')!
    await withConnection(server, { database: name }, async (connection) => {
      // Several rounds, because a new second may start between the writes.
      for (let round = 2; round <= 6; round++) {
        await program.query('INSERT INTO posts VALUES (?, ?)', [round, 'first'])
        const before = await readTableStates(server, name)
        const states = await assertTablesUnchanged(server, name, before)
        await program.query('UPDATE posts SET text = ? WHERE id = ?', ['second', round])
        await assert.rejects(
          () => assertMovedUnchanged(connection, name, states),
          /A program changed the table posts/
        )
      }
    })
    await program.end()
  })

  test('a merge resumes after an interruption between its two moves of tables', async ({
    assert,
    cleanup,
  }) => {
    const { name, program, begin } = await makeShop()
    const before = await readAll(program)
    const between = await startStatementProxy(mariadb.url)
    const restore = () => env.set('MYSQL_URL', new Secret(mariadb.url))
    cleanup(restore)
    env.set('MYSQL_URL', new Secret(between.url))
    between.when({ at: /RENAME TABLE `\w*berth_in_/ }, () => {
      restore()
      between.stop()
    })
    const interrupted = await begin(true)
    assert.isNull(interrupted.endedAt)
    await runSteps(interrupted.id)
    const { status, error } = await interrupted.refresh()
    assert.equal(status, 'done', error ?? '')
    const after = await readAll(program)
    assert.deepEqual(after.posts, before.posts)
    assert.lengthOf(after.tables as unknown[], 6)
    assert.deepEqual(await leftovers(name), [])
    await program.end()
  })

  test('a merge succeeds if no program writes meanwhile', async ({ assert }) => {
    const { name, program, begin } = await makeShop()
    const before = await readAll(program)
    const { status, error } = await begin(true)
    assert.equal(status, 'done', error ?? '')
    const after = await readAll(program)
    assert.deepEqual(after.posts, before.posts)
    assert.lengthOf(after.tables as unknown[], 6)
    assert.lengthOf(after.triggers as unknown[], 1)
    assert.deepEqual(await leftovers(name), [])
    await program.end()
  })

  test('an import that replaces the data succeeds although a program writes meanwhile', async ({
    assert,
  }) => {
    const { program, begin } = await makeShop()
    await program.query("SELECT GET_LOCK('writing', 0)")
    const imported = begin(false)
    await writeMeanwhile(program, () => program.query(WRITES.posts))
    const { status, error } = await imported
    assert.equal(status, 'done', error ?? '')
    assert.lengthOf((await program.query('SHOW TABLES'))[0] as unknown[], 1)
    await program.end()
  })
})
