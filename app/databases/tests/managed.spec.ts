import { syncServer } from '#databases/servers/sync_server'
import Database from '#databases/models/database'
import { mysqlAdmin } from '#databases/mysql/admin'
import { withConnection, createTemporaryUser } from '#databases/mysql/connect'
import { managedServer, accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import type {
  DatabaseListPage,
  DatabasePage,
  MysqlUserRow,
} from '#databases/transformers/page_props'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { makeCustomer, signIn } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const PASSWORD = 'Quay-at-low-tide'

/** Creates a customer without an instance, whose databases are therefore on the managed server. */
async function someone() {
  const customer = await makeCustomer()
  const visitor = await signIn(customer)
  const prefix = accountPrefix(customer.id)
  const server = managedServer(customer.id, 'mysql')!
  const make = async (name: string, user: string, password = PASSWORD) => {
    const body = { database_name: name, username: user, user_password: password }
    const answer = await visitor.post('/database/mysql/store', body)
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`)
    const id = answer.json.data!.operation_id as string
    await runSteps(id)
    const operation = await Operation.findOrFail(id)
    if (operation.status !== 'done') throw new Error(operation.error ?? operation.trouble ?? '')
    const database = await Database.findOrFail(operation.result!.id as number)
    return { database, operation }
  }
  const list = async () =>
    (await visitor.page('/database/mysql')).json.props as unknown as DatabaseListPage
  return { customer, visitor, prefix, server, make, list }
}

test.group('MySQL | on a managed server', (group) => {
  failOnSecondConnections(group)
  let mariadb: Mariadb

  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })

  test('a database is created with its user, and the page lists both', async ({ assert }) => {
    const { visitor, prefix, make, list } = await someone()
    const { database, operation } = await make('Shop 1', 'keeper-of-shop')
    assert.equal(database.name, `${prefix}shop_1`)
    assert.isNull(operation.input.password)

    const user = `${prefix}keeper_of_shop`
    const own = await mariadb.signIn(user, PASSWORD, database.name)
    await own.query('CREATE TABLE goods (id INT PRIMARY KEY, name TEXT)')
    await own.query("INSERT INTO goods VALUES (1, 'crate')")
    await own.end()

    const page = await list()
    assert.isNull(page.server!.server_instance_id)
    assert.equal(page.server!.status, 'running')
    const [row] = page.databases
    assert.deepEqual([row.name, row.full_name, row.users], ['shop_1', database.name, 1])
    const [shown] = page.users as MysqlUserRow[]
    assert.deepEqual(shown, { User: 'keeper_of_shop', Host: '%', Db: 'shop_1', access: 'all' })

    const details = await visitor.page(`/database/mysql/${database.id}`)
    const { connections, users } = details.json.props as unknown as DatabasePage
    assert.lengthOf(users, 1)
    assert.includeMembers(
      connections.map(({ label }) => label),
      ['Command line', 'PHP', 'Node.js (mysql2)', 'Laravel (.env)', 'WordPress (wp-config.php)']
    )
    for (const { text } of connections) assert.notInclude(text, PASSWORD)
  })

  test('passwords can contain any characters, and Berth stores none of them', async ({
    assert,
  }) => {
    const { customer, prefix, make } = await someone()
    const odd = [
      `O'Quay \\ "tide" %_;--`,
      "';DROP USER root; -- A",
      'Ünïcode ⚓ ЖΩ A',
      '\\\\Abcdefgh\\',
      '`A`${x}$(id) <b>',
    ]
    for (const [at, password] of odd.entries()) {
      const { database, operation } = await make(`odd_${at}`, `odd_${at}`, password)
      const own = await mariadb.signIn(`${prefix}odd_${at}`, password, database.name)
      await own.end()
      const noted = await db.from('audit_entries').where('account_id', customer.id)
      const kept = JSON.stringify([await Operation.findOrFail(operation.id), noted])
      assert.notInclude(kept, JSON.stringify(password).slice(1, -1))
    }
    assert.isNotEmpty(await mariadb.ask("SELECT 1 FROM mysql.user WHERE User = 'root'"))
  })

  test('invalid names and passwords are rejected at their fields', async ({ assert }) => {
    const { visitor, make, prefix } = await someone()
    const store = (more: object) =>
      visitor.post('/database/mysql/store', {
        database_name: 'fine',
        username: 'fine',
        user_password: PASSWORD,
        ...more,
      })
    const list: [object, string, RegExp][] = [
      [{ database_name: '' }, 'database_name', /3 to/],
      [{ database_name: '`; --' }, 'database_name', /3 to/],
      [{ database_name: ['a'] }, 'database_name', /3 to/],
      [{ database_name: 'x'.repeat(60) }, 'database_name', /at most/],
      [{ database_name: 'berth_work_1' }, 'database_name', /reserved by the database server/],
      [{ username: 'x'.repeat(33 - prefix.length) }, 'username', /at most/],
      [{ username: '%%%%' }, 'username', /3 to/],
      [{ user_password: 'Short-9ab' }, 'user_password', /10 characters/],
      [{ user_password: 'no-capital-at-all' }, 'user_password', /upper-case/],
      [{ user_password: 'Two\nlines-of-it' }, 'user_password', /without line breaks/],
      [{ user_password: '' }, 'user_password', /Enter/],
    ]
    for (const [more, field, words] of list) {
      const answer = await store(more)
      assert.equal(answer.status, 422, JSON.stringify(more))
      assert.match(answer.json.errors![field]?.[0] ?? '', words, JSON.stringify(more))
    }
    const { database } = await make("sh`op'; DROP-x", 'o"wner_a')
    assert.equal(database.name, `${prefix}shop_drop_x`)
    const again = await store({ database_name: 'shop_drop_x' })
    assert.match(again.json.errors!.database_name[0], /already exists/)
    const user = await store({ username: 'owner_a' })
    assert.match(user.json.errors!.username[0], /already exists/)
  })

  test('a failed creation leaves neither database nor user', async ({ assert }) => {
    const { server, prefix } = await someone()
    const database = `${prefix}half`
    await assert.rejects(() =>
      mysqlAdmin.create(server, { database, username: 'x'.repeat(200), password: PASSWORD })
    )
    const left = await mariadb.ask('SHOW DATABASES LIKE ?', [database])
    assert.lengthOf(left, 0)
  })

  test('no account can access databases of another account', async ({ assert }) => {
    const [one, other] = [await someone(), await someone()]
    const mine = await one.make('shop', 'shop_user')
    const theirs = await other.make('shop', 'shop_user')
    const wildcard = theirs.database.name.replace('_shop', 'Xshop')
    await mariadb.root.query(`CREATE DATABASE \`${wildcard}\``)

    const own = await mariadb.signIn(`${other.prefix}shop_user`, PASSWORD)
    for (const name of [mine.database.name, wildcard, 'mysql']) {
      await assert.rejects(() => own.query(`USE \`${name}\``), /Access denied/)
    }
    await own.end()

    const { visitor } = other
    const named = { database_name: mine.database.name }
    const user = { username: 'shop_user', user_password: PASSWORD, address: '', access: 'read' }
    for (const [path, body] of [
      ['/database/mysql/drop', { id: mine.database.id, name: 'shop' }],
      ['/database/mysql/user/store', { ...named, ...user, username: 'fresh' }],
      ['/database/mysql/user/access', { ...named, ...user }],
      ['/database/mysql/project', { ...named, ...user, project_id: 1 }],
    ] as const) {
      assert.equal((await visitor.post(path, body)).status, 404, path)
    }
    const names = ['root', 'keeper', `${one.prefix}shop_user`, '', '%', 'mariadb.sys']
    for (const username of names) {
      for (const what of ['password', 'remote', 'remove']) {
        const answer = await visitor.post(`/database/mysql/user/${what}`, { ...user, username })
        assert.equal(answer.status, 404, `${what} of ${username}`)
      }
    }
    assert.equal((await visitor.get(`/database/mysql/${mine.database.id}`)).status, 404)
    const page = await other.list()
    assert.deepEqual(
      page.databases.map(({ full_name: name }) => name),
      [theirs.database.name]
    )
    assert.lengthOf(page.users, 1)
    await (await mariadb.signIn(`${one.prefix}shop_user`, PASSWORD, mine.database.name)).end()
  })

  test('users have read, write or all rights on one database', async ({ assert }) => {
    const { visitor, prefix, make, list } = await someone()
    const { database } = await make('stock', 'stock_user')
    const owner = await mariadb.signIn(`${prefix}stock_user`, PASSWORD, database.name)
    await owner.query('CREATE TABLE goods (id INT PRIMARY KEY)')
    await owner.end()

    const asked = { database_name: 'stock', username: 'clerk' }
    const added = await visitor.post('/database/mysql/user/store', { ...asked, access: 'read' })
    assert.equal(added.status, 200, added.text)
    const password = added.json.data!.password as string
    assert.lengthOf(password, 24)
    assert.equal(added.headers.get('cache-control'), 'no-store')
    const can = async (sql: string) => {
      const clerk = await mariadb.signIn(`${prefix}clerk`, password, database.name)
      try {
        await clerk.query(sql)
        return true
      } catch {
        return false
      } finally {
        await clerk.end()
      }
    }
    const tries = async () => [
      await can('SELECT * FROM goods'),
      await can('INSERT INTO goods VALUES (RAND() * 1000000)'),
      await can('CREATE TABLE IF NOT EXISTS other (id INT)'),
    ]
    const accessOf = async () =>
      ((await list()).users as MysqlUserRow[]).find(({ User }) => User === 'clerk')?.access
    assert.deepEqual([await tries(), await accessOf()], [[true, false, false], 'read'])
    for (const [access, able] of [
      ['write', [true, true, false]],
      ['all', [true, true, true]],
      ['read', [true, false, false]],
    ] as const) {
      const body = { ...asked, host: '%', access }
      const changed = await visitor.post('/database/mysql/user/access', body)
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual([await tries(), await accessOf()], [[...able], access])
    }
    const odd = await visitor.post('/database/mysql/user/access', { ...asked, access: 'SUPER' })
    assert.equal(odd.status, 422)

    const fresh = { username: 'clerk', user_password: "New'er \\Password" }
    assert.equal((await visitor.post('/database/mysql/user/password', fresh)).status, 200)
    await assert.rejects(() => mariadb.signIn(`${prefix}clerk`, password), /denied/)
    await (await mariadb.signIn(`${prefix}clerk`, fresh.user_password)).end()
    // The password in the query string must be ignored, because proxies log URLs.
    const path = '/database/mysql/user/password?user_password=Logged-Password-1'
    assert.equal((await visitor.post(path, fresh)).status, 200)
    await (await mariadb.signIn(`${prefix}clerk`, fresh.user_password)).end()

    assert.equal((await visitor.post('/database/mysql/user/remove', asked)).status, 200)
    await assert.rejects(() => mariadb.signIn(`${prefix}clerk`, fresh.user_password), /denied/)
    assert.isUndefined(await accessOf())
    const remote = { username: 'stock_user', host: '%', address: '203.0.113.7' }
    assert.equal((await visitor.post('/database/mysql/user/remote', remote)).status, 409)
  })

  test('a database is dropped if its name is typed, with all rights on it', async ({ assert }) => {
    const { visitor, prefix, make, list } = await someone()
    const { database } = await make('gone', 'gone_user')
    const drop = (name: string) => visitor.post('/database/mysql/drop', { id: database.id, name })
    const wrong = await drop('gon')
    assert.equal(wrong.status, 422)
    assert.match(wrong.json.errors!.name[0], /does not match/)
    const logged = await visitor.post('/database/mysql/drop?name=gone', { id: database.id })
    assert.equal(logged.status, 422)
    assert.equal((await drop('gone')).status, 200)
    assert.lengthOf(await mariadb.ask('SHOW DATABASES LIKE ?', [database.name]), 0)
    const grants = await mariadb.ask('SELECT * FROM mysql.db WHERE User = ?', [
      `${prefix}gone_user`,
    ])
    assert.lengthOf(grants, 0)
    assert.lengthOf((await list()).databases, 0)
    assert.equal((await drop('gone')).status, 404)
  })

  test('the sync adds databases created by hand and marks missing ones deleted', async ({
    assert,
  }) => {
    const { server, prefix, make, customer } = await someone()
    const { database } = await make('first', 'first_user')
    await mariadb.root.query(`CREATE DATABASE \`${prefix}by hand\``)
    await mariadb.root.query(`DROP DATABASE \`${database.name}\``)
    const rows = await syncServer(server)
    assert.deepEqual(
      rows.map(({ name }) => name),
      [`${prefix}by hand`]
    )
    assert.equal((await database.refresh()).status, 'deleted')
    assert.lengthOf(await Database.live().where('accountId', customer.id), 1)
  })

  test('a temporary user can access one database only, and leftover temporary users are deleted', async ({
    assert,
  }) => {
    const { server, prefix } = await someone()
    const [mine, beside] = [`${prefix}work_1`, `${prefix}workA1`]
    for (const name of [mine, beside]) await mariadb.root.query(`CREATE DATABASE \`${name}\``)
    await mariadb.root.query(`CREATE PROCEDURE \`${mine}\`.hello() SELECT 1`)
    const account = await createTemporaryUser(server, mine, 'all')
    await withConnection(server, { account, database: mine }, async (connection) => {
      await connection.query('CREATE TABLE goods (id INT)')
      for (const sql of [
        `CREATE TABLE \`${beside}\`.goods (id INT)`,
        'CREATE DATABASE another',
        `SELECT * FROM mysql.user`,
        `GRANT ALL ON \`${mine}\`.* TO 'x'@'%' IDENTIFIED BY 'y'`,
        "SELECT * FROM goods INTO OUTFILE '/tmp/out'",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE goods",
      ]) {
        await assert.rejects(() => connection.query(sql), /denied|not allowed/i)
      }
    })
    await account.drop()
    await account.drop()
    await assert.rejects(() => mariadb.signIn(account.user, account.password), /denied/)

    const dump = await createTemporaryUser(server, mine, 'dump')
    await withConnection(server, { account: dump, database: mine }, async (connection) => {
      const [rows] = await connection.query('SHOW CREATE PROCEDURE hello')
      assert.include(JSON.stringify(rows), 'SELECT 1')
      await assert.rejects(() => connection.query('DROP TABLE goods'), /denied/)
    })
    await dump.drop()

    const old = `berth_work_${(Date.now() - 48 * 3_600_000).toString(36)}_0000`
    await mariadb.root.query(`CREATE USER '${old}'@'%'`)
    const next = await createTemporaryUser(server, mine, 'read')
    await next.drop()
    assert.lengthOf(await mariadb.ask('SELECT 1 FROM mysql.user WHERE User = ?', [old]), 0)
  })

  test('the page shows that a server is down, and calls respond with what to do', async ({
    assert,
  }) => {
    const { visitor, make, list } = await someone()
    const { database } = await make('still', 'still_user')
    const other = await startMariadb()
    await other.stop()
    const { managedServerUrl } = await import('#databases/servers/resolve_database_server')
    const before = managedServerUrl('mysql')!
    const { default: env } = await import('#start/env')
    const { Secret } = await import('@adonisjs/core/helpers')
    env.set('MYSQL_URL', new Secret(other.url))
    try {
      const page = await list()
      assert.equal(page.server!.status, 'unknown')
      assert.match(page.server!.problem!, /is not running/)
      assert.lengthOf(page.databases, 1)
      const answer = await visitor.post('/database/mysql/drop', { id: database.id, name: 'still' })
      assert.equal(answer.status, 503)
      assert.equal((await database.refresh()).status, 'active')
    } finally {
      env.set('MYSQL_URL', new Secret(before.href))
    }
  })
})
