import { AppError } from '#core/app_error'
import { mysqlBrowse } from '#databases/mysql/browse'
import { StatementError } from '#databases/query/statement_errors'
import { managedServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

test.group('Queries: what a query can do on a real MariaDB', (group) => {
  let maria: Mariadb
  let server: Server

  group.setup(async () => {
    maria = await startMariadb()
    server = managedServer(1, 'mysql')!
    for (const sql of [
      'create database shop',
      'create database other',
      'create table other.secrets (word text)',
      `insert into other.secrets values ('of somebody else')`,
      'create table shop.items (id int primary key, name varchar(50))',
      `insert into shop.items values (1, 'anchor'), (2, null), (3, '')`,
      'create table shop.plain (id int) engine=MyISAM',
      'create sequence shop.numbers',
      `create user app@localhost identified by 'a long word'`,
      'grant all on shop.* to app@localhost',
    ]) {
      await maria.root.query(sql)
    }
    for (const [name, table] of [
      ['adds', 'items'],
      ['adds_plain', 'plain'],
    ]) {
      const made = `create definer = app@localhost function shop.${name}() returns int modifies sql data
        begin insert into shop.${table} (id) values (100); return 1; end`
      await maria.root.query(made)
      const view = `create definer = app@localhost view shop.v_${name} as select shop.${name}() as made`
      await maria.root.query(view)
    }
    return () => maria.stop()
  })

  const look = (text: string, more: { limit?: number; timeout?: number } = {}) =>
    mysqlBrowse.query(server, 'shop', {
      id: randomUUID(),
      text,
      write: false,
      limit: 100,
      timeout: 20,
      ...more,
    })
  const change = (text: string) =>
    mysqlBrowse.query(server, 'shop', {
      id: randomUUID(),
      text,
      write: true,
      limit: 100,
      timeout: 20,
    })
  const refusalOf = async (work: Promise<unknown>): Promise<AppError> => {
    try {
      await work
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
    throw new Error('It was not refused')
  }
  const left = async () => {
    const [running] = await maria.root.query(
      `select info from information_schema.processlist where user like 'berth\\_work\\_%'`
    )
    const [users] = await maria.root.query(
      `select user from mysql.user where user like 'berth\\_%'`
    )
    return [...(running as unknown[]), ...(users as unknown[])]
  }
  const contents = async () => {
    const [items] = await maria.root.query('select id from shop.items order by id')
    const [plain] = await maria.root.query('select id from shop.plain')
    return [items, plain].map((rows) => (rows as { id: number }[]).map(({ id }) => id))
  }

  test('a query returns columns and rows, and NULL differs from an empty string', async ({
    assert,
  }) => {
    const { columns, rows, more, changed } = await look('select * from items order by id')
    assert.deepEqual(columns, ['id', 'name'])
    assert.deepEqual(rows, [
      ['1', 'anchor'],
      ['2', null],
      ['3', ''],
    ])
    assert.deepEqual([more, changed], [false, null])
    assert.isEmpty(await left())
  })

  test('SHOW TRIGGERS works, and read-only queries cannot create or drop triggers', async ({
    assert,
  }) => {
    const create = 'create trigger counted before insert on plain for each row set new.id = 7'
    await maria.root.query(create.replaceAll(/(counted|plain)/g, 'shop.$1'))
    assert.equal((await look('show triggers')).rows[0][0], 'counted')
    for (const text of [
      'drop trigger counted',
      `show tables; drop trigger counted`,
      `select 1 /*! ; drop trigger counted */`,
      create,
    ])
      await refusalOf(look(text))
    assert.lengthOf((await look('show triggers')).rows, 1)
    await maria.root.query('drop trigger shop.counted')
  })

  test('values are returned exactly as the server has them', async ({ assert }) => {
    await maria.root.query(
      `create table shop.kinds (a bigint unsigned, b decimal(40,10), c date, d datetime(6), e time,
         f bit(12), g json, h blob, i varbinary(100), j longtext, k uuid, l inet6, m double)`
    )
    await maria.root.query(`set sql_mode = ''`)
    await maria.root.query(
      `insert into shop.kinds values (18446744073709551615, 123456789012345678901234567890.0123456789,
         '0000-00-00', '2024-02-29 23:59:59.123456', '-838:59:59', b'101', '{"n": 12345678901234567890}',
         x'00ff', repeat('a', 100), repeat('ü', 3000), '123e4567-e89b-12d3-a456-426655440000', '::1', 0.1)`
    )
    const { rows } = await look('select * from kinds')
    assert.deepEqual(rows[0], [
      '18446744073709551615',
      '123456789012345678901234567890.0123456789',
      '0000-00-00',
      '2024-02-29 23:59:59.123456',
      '-838:59:59',
      `b'000000000101'`,
      '{"n": 12345678901234567890}',
      '0x00ff',
      `0x${'61'.repeat(32)}… (100 bytes)`,
      `${'ü'.repeat(2_000)}…`,
      '123e4567-e89b-12d3-a456-426655440000',
      '::1',
      '0.1',
    ])
  })

  test('a read-only query changes nothing, however it is written')
    .with([
      `insert into items values (9, 'x')`,
      `/* select */ insert into items values (9, 'x')`,
      `/*! insert into items values (9, 'x') */`,
      `/*M! insert into items values (9, 'x') */`,
      `select 1; insert into items values (9, 'x')`,
      `select 1 /*! ; insert into items values (9, 'x') */`,
      `-- select\ninsert into items values (9, 'x')`,
      '# select\ndelete from items',
      'select adds()',
      'select * from v_adds',
      'select * from v_adds_plain',
      'with x as (select adds_plain()) select * from x',
      'begin not atomic rollback; set session transaction read write; select * from v_adds_plain; end',
      `execute immediate 'insert into items values (9, 1)'`,
      'set statement max_statement_time = 0 for select * from v_adds_plain',
      'set global max_connections = 5',
      'set session transaction read write',
      'start transaction read write',
      'handler items open',
      'lock tables items write',
      'create temporary table x (a int)',
      'analyze update items set name = 1',
      'analyze delete from items',
      'explain delete from items',
      'select * from items for update',
      'select nextval(numbers)',
      'select setval(numbers, 1000)',
      'truncate items',
      'drop table items',
      'call nothing()',
      'do sleep(0)',
      'kill 1',
      'flush tables',
      `load data local infile '/etc/passwd' into table items`,
    ])
    .run(async ({ assert }, text) => {
      const { status } = await refusalOf(look(text))
      assert.equal(status, 422)
      assert.deepEqual(await contents(), [[1, 2, 3], []])
    })

  test('a query reads only its own database, and no files')
    .with([
      'select * from other.secrets',
      'select * from mysql.user',
      'select * from mysql.global_priv',
      'select * from mysql.db',
      'select * from performance_schema.threads',
      'show create table other.secrets',
      `select * from items into outfile '/tmp/berth-items'`,
      `select name from items limit 1 into dumpfile '/tmp/berth-items'`,
    ])
    .run(async ({ assert }, text) => {
      assert.instanceOf(await refusalOf(look(text)), StatementError)
    })

  test('a query cannot read the server’s files, or list other databases', async ({ assert }) => {
    assert.deepEqual((await look(`select load_file('/etc/passwd')`)).rows, [[null]])
    assert.deepEqual((await look('show databases')).rows, [['information_schema'], ['shop']])
    const seen = await look('select distinct table_schema from information_schema.columns')
    assert.notInclude(seen.rows.flat(), 'other')
    assert.isFalse(existsSync(join(maria.folder, 'data', 'berth-items')))
  })

  test('the server ends a query that takes too long', async ({ assert }) => {
    for (const text of [
      'select sleep(50)',
      'select count(*) from seq_1_to_100000000 a, seq_1_to_1000 b where a.seq * b.seq > 5',
    ]) {
      const { status, message } = await refusalOf(look(text, { timeout: 1 }))
      assert.equal(status, 408)
      assert.include(message, '1 second')
    }
    await eventually(async () => assert.isEmpty(await left()))
  })

  test('a query that removes its time limit is ended too', async ({ assert }) => {
    const refusal = await refusalOf(
      mysqlBrowse.query(server, 'shop', {
        id: randomUUID(),
        write: true,
        limit: 1,
        timeout: 1,
        text: 'set statement max_statement_time = 0 for select sleep(50)',
      })
    )
    assert.equal(refusal.status, 408)
    await eventually(async () => assert.isEmpty(await left()))
  })

  test('a cancelled query is ended on the server', async ({ assert }) => {
    const id = randomUUID()
    // While it runs this query, the server does not notice that the client has disconnected.
    const text =
      'select count(*) from seq_1_to_100000000 a, seq_1_to_1000 b where a.seq * b.seq > 5'
    const asked = { id, text, write: false, limit: 1, timeout: 60 }
    const running = refusalOf(mysqlBrowse.query(server, 'shop', asked))
    await eventually(async () => {
      const [rows] = await maria.root.query(
        'select 1 from information_schema.processlist where info = ?',
        [text]
      )
      assert.lengthOf(rows as unknown[], 1)
    })
    await mysqlBrowse.cancel(server, 'shop', randomUUID())
    await mysqlBrowse.cancel(server, 'shop', id)
    assert.equal((await running).code, 'cancelled')
    await eventually(async () => assert.isEmpty(await left()))
  })

  test('no more rows are read than requested, even if the query has a larger LIMIT', async ({
    assert,
  }) => {
    for (const text of [
      'select seq from seq_1_to_100000000000',
      'select seq from seq_1_to_100000000000 limit 500000000',
    ]) {
      const { rows, more } = await look(text, { limit: 3 })
      assert.deepEqual(rows, [['1'], ['2'], ['3']])
      assert.isTrue(more)
    }
    const { more } = await look('select seq from seq_1_to_3', { limit: 3 })
    assert.isFalse(more)
    await eventually(async () => assert.isEmpty(await left()))
  })

  test('a response is truncated at four million characters', async ({ assert }) => {
    const wide = Array.from({ length: 100 }, () => `repeat('x', 5000)`).join(', ')
    const { rows, more } = await look(`select ${wide} from seq_1_to_1000`, { limit: 1_000 })
    assert.isTrue(more)
    assert.isBelow(rows.length, 25)
  })

  test('a download of a gigabyte does not buffer it in memory', async ({ assert }) => {
    const text = `select seq, repeat('x', 1000000) from seq_1_to_1000`
    const asked = { id: randomUUID(), text }
    let [bytes, rows, most, taking, side] = [0, 0, 0, 0, 0]
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    await mysqlBrowse.download!(server, 'shop', asked, {
      columns() {},
      async row([seq, long]) {
        side = Math.max(side, ++taking)
        rows++
        bytes += long!.length
        most = Math.max(most, process.memoryUsage.rss())
        if (Number(seq) % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 200))
        taking--
      },
    })
    assert.deepEqual([rows, bytes, side], [1_000, 1_000_000_000, 1])
    assert.isBelow((most - before) / 1024 ** 2, 300)
  }).timeout(900_000)

  test('a row above 32 MB is rejected', async ({ assert }) => {
    const wide = Array.from({ length: 10 }, () => `repeat('x', 15000000)`).join(', ')
    const refusal = await refusalOf(look(`select ${wide}`))
    assert.equal(refusal.code, 'row_too_long')
    await eventually(async () => assert.isEmpty(await left()))
  })

  test('an error has the server’s number and message, and the position', async ({ assert }) => {
    const text = 'select id,\n       name\nform items'
    const refusal = (await refusalOf(look(text))) as StatementError
    assert.deepEqual(refusal.fault, {
      number: 1064,
      state: '42000',
      line: 3,
      position: text.indexOf('items'),
    })
    const missing = (await refusalOf(look('select nothing from items'))) as StatementError
    assert.equal(missing.fault.number, 1054)
    assert.include(missing.message, `Unknown column 'nothing'`)
  })

  test('a query with changes allowed changes its own database and nothing else', async ({
    assert,
  }) => {
    const made = await change('create table made (id int primary key auto_increment, a text)')
    assert.equal(made.changed, 0)
    assert.equal((await change(`insert into made (a) values ('x'), ('y')`)).changed, 2)
    assert.equal((await change(`update made set a = 'z' where id = 1`)).changed, 1)
    assert.deepEqual((await change('select a from made')).rows, [['z'], ['y']])
    assert.equal((await change('drop table made')).changed, 0)
    for (const text of [
      `insert into other.secrets values ('x')`,
      'drop database other',
      'create database more',
      `create user x identified by 'y'`,
      'grant all on *.* to app@localhost',
      'set global max_connections = 5',
      `select * from items into outfile '/tmp/berth-items'`,
      'select * from mysql.user',
      `insert into items values (8, 'x'); drop table items`,
      'create view broken as select 1',
      'create or replace definer = root@localhost view broken as select * from mysql.user',
      'create definer = root@localhost procedure p() select 1',
      `begin not atomic execute immediate 'create definer = root@localhost view broken as select 1'; end`,
    ]) {
      assert.equal((await refusalOf(change(text))).status, 422, text)
    }
    assert.deepEqual((await contents())[0], [1, 2, 3])
  })
})

test.group('Queries: tables of a real MariaDB', (group) => {
  let maria: Mariadb
  let server: Server

  group.setup(async () => {
    maria = await startMariadb(['--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES'])
    server = managedServer(1, 'mysql')!
    await maria.root.query('create database shop')
    await maria.root.query('use shop')
    return () => maria.stop()
  })

  /** Reads all pages, and returns the values of the first column. */
  const read = async (table: string, limit: number) => {
    const found: (string | null)[] = []
    let after: string | undefined
    for (let page = 1; ; page++) {
      const { rows, next, more } = await mysqlBrowse.rows(server, 'shop', {
        table,
        page,
        after,
        limit,
      })
      found.push(...rows.map(([first]) => first))
      if (!next) return { found, more }
      after = next
    }
  }

  test('tables and views are listed with the server’s estimates', async ({ assert }) => {
    await maria.root.query('create table listed (id int primary key)')
    await maria.root.query('insert into listed values (1), (2)')
    await maria.root.query('create view seen as select * from listed')
    const tables = await mysqlBrowse.tables(server, 'shop')
    const listed = tables.find(({ name }) => name === 'listed')!
    assert.equal(listed.type, 'table')
    assert.isAbove(listed.size_bytes!, 0)
    assert.deepEqual(
      tables.find(({ name }) => name === 'seen'),
      { name: 'seen', type: 'view', rows: null, size_bytes: null }
    )
  })

  test('paging by primary key is exact for integers above 2^63', async ({ assert }) => {
    await maria.root.query('create table large (id bigint unsigned primary key)')
    await maria.root.query('insert into large select 9223372036854775800 + seq from seq_1_to_25')
    const { found } = await read('large', 10)
    const wanted = Array.from({ length: 25 }, (_, index) =>
      String(9223372036854775801n + BigInt(index))
    )
    assert.deepEqual(found, wanted)
    const { rows } = await mysqlBrowse.rows(server, 'shop', { table: 'large', page: 3, limit: 10 })
    assert.deepEqual(rows.flat(), wanted.slice(20))
    await assert.rejects(
      () => mysqlBrowse.rows(server, 'shop', { table: 'large', page: 1_001, limit: 10 }),
      /first 10,000 rows/
    )
  })

  test('paging returns each row once, for keys of any type')
    .with([
      `a varchar(20) primary key, b int | ('it''s'), ('it\\'), ('\`ö\`'), ('a"b'), ('ß'), ('z')`,
      'b int, a decimal(30,10), primary key (a, b) | (1.0000000001), (1.0000000002), (-5), (0)',
      `a varbinary(8) primary key, b int | (x'00'), (x'0027'), (x'ff'), ('a')`,
      `b int, a date, primary key (a, b) | ('2024-01-01'), ('2024-12-31'), ('1999-05-05')`,
      `a enum('z', 'm', 'a') primary key, b int | ('a'), ('m'), ('z')`,
      `a double primary key, b int | (0.1), (0.2), (1e300)`,
      `a varchar(20), b int | ('x'), ('x'), ('y'), ('z')`,
    ])
    .run(async ({ assert }, kind) => {
      const [columns, values] = kind.split(' | ')
      await maria.root.query('drop table if exists shop."of kinds"')
      await maria.root.query(
        `create table shop."of kinds" (${columns.replace('b int', 'b int default 0')})`
      )
      await maria.root.query(`insert into shop."of kinds" (a) values ${values}`)
      const [rows] = await maria.root.query('select count(*) as n from shop."of kinds"')
      const { columns: names } = await mysqlBrowse.rows(server, 'shop', {
        table: 'of kinds',
        page: 1,
        limit: 1,
      })
      assert.sameMembers(names, ['a', 'b'])
      for (const limit of [1, 2, 100]) {
        const { found } = await read('of kinds', limit)
        assert.lengthOf(found, Number((rows as { n: number }[])[0].n))
      }
    })

  test('a table without a key is paged up to row 10,000', async ({ assert }) => {
    await maria.root.query('create table keyless (a int)')
    await maria.root.query('insert into keyless select seq from seq_1_to_10500')
    const { found, more } = await read('keyless', 1_000)
    assert.lengthOf(found, 10_000)
    assert.isTrue(more)
    const page = await mysqlBrowse.rows(server, 'shop', { table: 'keyless', page: 1, limit: 5 })
    assert.isTrue(page.isCounted)
  })

  test('requested table names are looked up, and never become part of a query')
    .with([
      'large` union select user from mysql.user -- ',
      `large' or '1'='1`,
      `x\\' or table_name like '%`,
      '../large',
      'mysql`.`user',
      'nothing',
    ])
    .run(async ({ assert }, table) => {
      for (const work of [
        () => mysqlBrowse.rows(server, 'shop', { table, page: 1, limit: 5 }),
        () => mysqlBrowse.structure(server, 'shop', table),
      ]) {
        await assert.rejects(work, 'This table does not exist.')
      }
    })

  test('a table with any name can be shown', async ({ assert }) => {
    const name = 'a`b\'c"d\\ x.y'
    await maria.root.query(
      `create table \`${name.replaceAll('`', '``')}\` (\`co\`\`l\` int primary key)`
    )
    await maria.root.query(`insert into \`${name.replaceAll('`', '``')}\` values (1), (2)`)
    assert.deepEqual((await read(name, 1)).found, ['1', '2'])
    const { columns } = await mysqlBrowse.structure(server, 'shop', name)
    assert.equal(columns[0].name, 'co`l')
  })

  test('an invalid page cursor starts at the first row')
    .with([
      'x',
      btoa('{"key":["1 or 1=1"]}'),
      btoa('{"from":-5}'),
      btoa('{"from":1e99}'),
      btoa('[]'),
      btoa('null'),
    ])
    .run(async ({ assert }, after) => {
      await maria.root.query('create table if not exists marked (id int primary key)')
      await maria.root.query('insert ignore into marked values (1), (2)')
      const page = await mysqlBrowse.rows(server, 'shop', {
        table: 'marked',
        page: 1,
        limit: 5,
        after,
      })
      assert.lengthOf(page.rows, 2)
    })

  test('a view is read with rights on its own database only', async ({ assert }) => {
    await maria.root.query('create sql security invoker view peeks as select user from mysql.user')
    await assert.rejects(
      () => mysqlBrowse.rows(server, 'shop', { table: 'peeks', page: 1, limit: 5 }),
      /1356/
    )
  })

  test('a table’s structure lists its columns and indexes', async ({ assert }) => {
    await maria.root.query(
      `create table built (id int auto_increment primary key, mail varchar(200) not null default 'x',
         unique one (mail), key two (mail(5), id))`
    )
    const { columns, indexes } = await mysqlBrowse.structure(server, 'shop', 'built')
    assert.deepEqual(columns[0], {
      name: 'id',
      type: 'int(11)',
      nullable: false,
      key: 'PRI',
      default: null,
      extra: 'auto_increment',
    })
    assert.deepEqual(indexes, [
      { name: 'PRIMARY', columns: ['id'], unique: true },
      { name: 'one', columns: ['mail'], unique: true },
      { name: 'two', columns: ['mail(5)', 'id'], unique: false },
    ])
  })
})
