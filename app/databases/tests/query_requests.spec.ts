import Database from '#databases/models/database'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import type { Person } from '#identity/public'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

test.group('Queries: HTTP calls', (group) => {
  let maria: Mariadb
  let customer: Person
  let visitor: Visitor
  let database: Database

  const databaseOf = async ({ id: accountId }: Person) => {
    const name = `${accountPrefix(accountId)}shop`
    await maria.root.query(`create database ${name}`)
    await maria.root.query(`create table ${name}.items (id int primary key, name text)`)
    await maria.root.query(`insert into ${name}.items values (1, 'of ${accountId}')`)
    return Database.create({
      accountId,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
    })
  }
  const address = (more: string) => `/database/mysql/${database.id}/${more}`
  const running = async (text: string) => {
    const [rows] = await maria.root.query(
      'select id from information_schema.processlist where info = ?',
      [text]
    )
    return (rows as unknown[]).length
  }

  group.setup(async () => {
    maria = await startMariadb()
    customer = await makeCustomer()
    database = await databaseOf(customer)
    visitor = await signIn(customer)
    return () => maria.stop()
  })

  test('a table is shown page by page, with its structure', async ({ assert }) => {
    const rows = await visitor.get(address('rows?table=items'))
    assert.equal(rows.status, 200)
    assert.deepEqual(rows.json.data, {
      columns: ['id', 'name'],
      rows: [['1', `of ${customer.id}`]],
      more: false,
      next: null,
      isCounted: false,
    })
    const structure = await visitor.get(address('structure?table=items'))
    assert.deepInclude((structure.json.data!.indexes as object[])[0], { name: 'PRIMARY' })
    assert.equal((await visitor.get(address('rows?table=nothing'))).status, 404)
  })

  test('a query returns rows, and an error has its position', async ({ assert }) => {
    const asked = await visitor.post(address('query'), { sql: 'select name from items' })
    assert.deepInclude(asked.json.data, { columns: ['name'], rows: [[`of ${customer.id}`]] })
    assert.isNumber(asked.json.data!.took)
    assert.equal(asked.headers.get('cache-control'), 'no-store')
    const wrong = await visitor.post(address('query'), { sql: 'select , from items' })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.json.code, 'statement_failed')
    assert.deepEqual(wrong.json.data, { number: 1064, state: '42000', line: 1, position: 8 })
    assert.isNotEmpty(wrong.json.errors?.sql)
  })

  test('invalid limits and fields are rejected')
    .with([
      { limit: 1_001 },
      { limit: 0 },
      { timeout: 61 },
      { timeout: 0 },
      { sql: '' },
      { write: 'x' },
    ])
    .run(async ({ assert }, more) => {
      const { status } = await visitor.post(address('query'), { sql: 'select 1', ...more })
      assert.equal(status, 422)
    })

  test('changes require `write`, and the audit log names the kind of statement, but no values', async ({
    assert,
  }) => {
    const sql = `insert into items values (2, 'a secret')`
    const refused = await visitor.post(address('query'), { sql })
    assert.equal(refused.status, 422)
    assert.include(refused.json.message!, 'Nothing was run. Turn off Read-only to run it.')
    const done = await visitor.post(address('query'), { sql, write: true })
    assert.equal(done.json.data!.changed, 1)
    const entries = await db
      .from('audit_entries')
      .where({ subject_type: 'database', subject_id: String(database.id) })
    assert.lengthOf(entries, 1)
    assert.deepEqual(entries[0].after, { statement: 'INSERT INTO' })
    assert.notInclude(JSON.stringify(entries), 'secret')
  })

  test('other accounts cannot query the database, and its queries cannot read their databases', async ({
    assert,
  }) => {
    const other = await makeCustomer()
    const theirs = await databaseOf(other)
    const stranger = await signIn(other)
    for (const [method, more] of [
      ['get', 'rows?table=items'],
      ['get', 'structure?table=items'],
      ['get', 'slow'],
      ['post', 'query'],
      ['post', 'query/csv'],
      ['post', 'slow/reset'],
    ] as const) {
      const { status } = await stranger[method](address(more), { sql: 'select 1' } as never)
      assert.equal(status, 404, more)
    }
    const wrongKind = await visitor.get(`/database/mongodb/${database.id}/rows?table=items`)
    assert.equal(wrongKind.status, 404)
    for (const write of [false, true]) {
      const sql = `select * from ${theirs.name}.items`
      const across = await visitor.post(address('query'), { sql, write })
      assert.equal(across.status, 422)
      assert.notInclude(across.text, `of ${other.id}`)
    }
  })

  test('a person runs one query at a time on a database, and can cancel it by its id', async ({
    assert,
  }) => {
    const [id, sql] = [randomUUID(), 'select sleep(40)']
    const first = visitor.post(address('query'), { id, sql, timeout: 60 })
    await eventually(async () => assert.equal(await running(sql), 1))
    const second = await visitor.post(address('query'), { sql: 'select 1' })
    assert.equal(second.status, 429)
    const stranger = await signIn(await makeCustomer())
    await stranger.post(address('query/cancel'), { id })
    assert.equal(await running(sql), 1)
    assert.equal((await visitor.post(address('query/cancel'), { id })).status, 200)
    assert.equal((await first).json.code, 'cancelled')
    await eventually(async () => assert.equal(await running(sql), 0))
    assert.equal((await visitor.post(address('query'), { sql: 'select 1' })).status, 200)
  })

  test('a query ends when its browser disconnects', async ({ assert }) => {
    const sql = 'select sleep(41)'
    const leave = new AbortController()
    const token = decodeURIComponent(visitor.cookies.get('XSRF-TOKEN/') ?? '')
    const asked = fetch(visitor.base + address('query'), {
      method: 'POST',
      signal: leave.signal,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: visitor.cookie,
        'x-xsrf-token': token,
      },
      body: JSON.stringify({ sql, timeout: 60 }),
    })
    await eventually(async () => assert.equal(await running(sql), 1))
    leave.abort()
    await assert.rejects(() => asked)
    await eventually(async () => assert.equal(await running(sql), 0))
  })

  test('all rows of a query are downloaded as CSV', async ({ assert }) => {
    const sql = `select seq, if(seq = 2, '=1+1', null) as "a,b" from seq_1_to_5000`
    const file = await visitor.post(address('query/csv'), { sql })
    assert.equal(file.status, 200)
    assert.include(file.headers.get('content-type')!, 'text/csv')
    assert.include(file.headers.get('content-disposition')!, 'attachment')
    const lines = file.text.split('\r\n')
    assert.deepEqual(lines.slice(0, 3), ['seq,"a,b"', '1,', `2,'=1+1`])
    assert.equal(lines.at(-2), '5000,')
    const exact = await visitor.post(address('query/csv'), { sql, exact: true })
    assert.include(exact.text, '\r\n2,=1+1\r\n')
  })

  test('an invalid query is rejected before its download, and a failed download never looks complete', async ({
    assert,
  }) => {
    const change = await visitor.post(address('query/csv'), { sql: 'delete from items' })
    assert.equal(change.status, 422)
    const wrong = await visitor.post(address('query/csv'), { sql: 'select nothing' })
    assert.equal(wrong.status, 422)
    const sql = `select x.seq, (select y.seq from seq_1_to_3 y where y.seq + 99997 <= x.seq)
      from seq_1_to_100000 x`
    await assert.rejects(() => visitor.post(address('query/csv'), { sql }))
  })
})
