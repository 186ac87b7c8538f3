import { startServerAction } from '#databases/actions/start_server_action'
import type { ServerAction } from '#databases/operations/server_actions'
import Database from '#databases/models/database'
import DatabaseServer from '#databases/models/database_server'
import { connectToMysql, withConnection, createTemporaryUser } from '#databases/mysql/connect'
import { mysqlTransfer } from '#databases/mysql/transfer/driver'
import { resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import { DatabaseFileStore } from '#databases/transfer/file_store'
import type {
  DatabaseListPage,
  DatabasePage,
  MysqlUserRow,
} from '#databases/transformers/page_props'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import Project from '#projects/models/project'
import { actorOf, makeCustomer, signIn } from '#tests/support/people'
import { startSiteMachine, type SiteMachine } from '#tests/support/site_machine'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

const socket = process.env.INCUS_SOCKET
const DATABASE_PASSWORD = `O'Quay \\ "tide" Ж`

test.group('MySQL | on a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let machine: SiteMachine

  group.setup(async () => {
    machine = await startSiteMachine(socket)
    await machine.instance.merge({ memoryBytes: 2 * 1024 ** 3 }).save()
    return () => machine.close()
  })
  group.tap((each) =>
    each
      .timeout(1_200_000)
      .skip(() => !machine.reached.debian, "the instance cannot reach Debian's packages")
  )

  const at = () => ({ server_instance_id: machine.instance.id })
  const list = async () =>
    (await machine.visitor.page(`/database/mysql?server_instance_id=${machine.instance.id}`)).json
      .props as unknown as DatabaseListPage
  const named = async (name: string) =>
    Database.live().where({ serverInstanceId: machine.instance.id, name }).firstOrFail()
  const act = async (action: ServerAction | 'install') => {
    const server = await resolveDatabaseServer(machine.instance, 'mysql')
    const operation = await startServerAction(await actorOf(machine.customer), server, action)
    await runSteps(operation.id)
    return Operation.findOrFail(operation.id)
  }
  /** Runs a query over TCP, as the customer's own program on the instance would. */
  const asks = (user: string, password: string, ...more: string[]) =>
    machine.inside(
      'env',
      `MYSQL_PWD=${password}`,
      'mariadb',
      '--host=127.0.0.1',
      `--user=${user}`,
      ...more
    )

  test('the first database installs the server, which opens no port', async ({ assert }) => {
    const before = await list()
    assert.equal(before.server!.status, 'absent')
    assert.isNull(before.server!.actions.install)

    await machine.works('/database/mysql/store', {
      ...at(),
      database_name: 'Shop',
      username: 'shop-user',
      user_password: DATABASE_PASSWORD,
    })
    const row = await named('shop')
    const signedIn = await asks(
      'shop_user',
      DATABASE_PASSWORD,
      'shop',
      '-e',
      'CREATE TABLE goods (id INT)'
    )
    assert.equal(signedIn.exitCode, 0, signedIn.errors)

    await machine.instance.merge({ diskBytes: 8 * 1024 ** 3, diskUsed: 1024 ** 3 }).save()
    const page = await list()
    assert.equal(page.server!.status, 'running', page.server!.problem ?? '')
    assert.match(page.server!.version!, /^MariaDB \d+\.\d+/)
    assert.isAbove(page.server!.free_bytes!, 0)
    assert.isBelow(page.server!.free_bytes!, machine.instance.diskBytes)
    assert.deepEqual(
      page.databases.map(({ name, users }) => [name, users]),
      [['shop', 1]]
    )
    assert.deepEqual(page.users as MysqlUserRow[], [
      { User: 'shop_user', Host: 'localhost', Db: 'shop', access: 'all' },
    ])
    const { output } = await machine.inside('ss', '-tlnH', 'sport = :3306')
    for (const line of output.split('\n').filter(Boolean)) assert.include(line, '127.0.0.1:3306')
    const { status } = await DatabaseServer.query()
      .where('serverInstanceId', machine.instance.id)
      .firstOrFail()
    assert.equal(status, 'running')

    const stranger = await signIn(await makeCustomer())
    assert.equal((await stranger.get(`/database/mysql/${row.id}`)).status, 404)
    const path = `/database/mysql?server_instance_id=${machine.instance.id}`
    assert.equal((await stranger.get(path)).status, 404)
  })

  test('no process list shows a password while it is set', async ({ assert }) => {
    const server = await resolveDatabaseServer(machine.instance, 'mysql')
    const { user, password, drop } = await createTemporaryUser(server, 'shop', 'all')
    const connection = await connectToMysql(server, {
      account: { user, password },
      database: 'shop',
    })
    const { output } = await machine.inside('ps', 'axww', '-o', 'args')
    assert.include(output, 'socat - UNIX-CONNECT:')
    assert.notInclude(output, password)
    await assert.rejects(() => connection.query('CREATE DATABASE more'), /denied/)
    await connection.end()
    await drop()
  })

  test('mariadb, mariadb-dump, unzip and node run as the owner during imports, exports and backups', async ({
    assert,
  }) => {
    // Replaces each program by a wrapper. The wrapper records as which user it runs, then runs the program.
    const wrap = `for name in mariadb mariadb-dump unzip node; do
      real=$(command -v $name) && mv "$real" "$real.own" || exit 1
      : > /tmp/ran-$name && chmod 0666 /tmp/ran-$name
      printf '#!/bin/sh\\nid -un >> /tmp/ran-%s\\nexec %s "$@"\\n' $name "$real.own" > "$real"
      chmod 0755 "$real"
    done`
    const unwrap = `for name in mariadb mariadb-dump unzip node; do
      real=$(command -v $name) && mv -f "$real.own" "$real"
    done`
    const wrapped = await machine.inside('sh', '-c', wrap)
    assert.equal(wrapped.exitCode, 0, wrapped.errors)
    try {
      const database = await named('shop')
      const server = await resolveDatabaseServer(database, 'mysql')
      const { body } = await mysqlTransfer.export(server, 'shop')
      assert.match(await text(body), /CREATE TABLE `goods`/)
      const zip = new ZipFile()
      zip.addBuffer(
        Buffer.from("CREATE TABLE more (a TEXT);\nINSERT INTO more VALUES ('a\r\nb');"),
        'a.sql'
      )
      zip.end()
      const store = new DatabaseFileStore(server, 'imports')
      const file = store.newName('zip')
      await store.put(file, Readable.from(zip.outputStream as AsyncIterable<Buffer>))
      const { contents } = await mysqlTransfer.import(server, 'shop', {
        file: store.path(file),
        filename: 'a.zip',
        merge: false,
        memory: {},
        saveValue: () => Promise.resolve(),
        report: () => Promise.resolve(),
        signal: new AbortController().signal,
        commitPoint: () => Promise.resolve(),
      })
      assert.equal(contents.rows, 1)
      await store.remove(file)
      for (const name of ['mariadb', 'mariadb-dump', 'unzip', 'node']) {
        const { output } = await machine.inside('sort', '-u', `/tmp/ran-${name}`)
        assert.equal(output, 'berth', name)
      }
    } finally {
      await machine.inside('sh', '-c', unwrap)
    }
  })

  test('a database that was created by hand is listed, adopted and dropped, whatever its name', async ({
    assert,
  }) => {
    const odd = 'My `odd` %_\'"shop'
    const server = await resolveDatabaseServer(machine.instance, 'mysql')
    await withConnection(server, {}, async (connection) => {
      await connection.query(`CREATE DATABASE \`${odd.replaceAll('`', '``')}\``)
      await connection.query("CREATE USER 'hand'@'10.0.0.%' IDENTIFIED BY 'made-By-hand'")
      await connection.query("GRANT SELECT, DELETE ON shop.* TO 'hand'@'10.0.0.%'")
    })
    assert.equal((await act('install')).status, 'done')
    const page = await list()
    assert.includeMembers(
      page.databases.map(({ name }) => name),
      [odd, 'shop']
    )
    const hand = (page.users as MysqlUserRow[]).find(({ User }) => User === 'hand')
    assert.deepEqual(hand, { User: 'hand', Host: '10.0.0.%', Db: 'shop', access: 'other' })
    const { id } = await named(odd)
    const dropped = await machine.visitor.post('/database/mysql/drop', { id, name: odd })
    assert.equal(dropped.status, 200, dropped.text)
    const { output } = await machine.inside('mariadb', '-N', '-e', 'SHOW DATABASES')
    assert.notInclude(output, 'odd')
    assert.include(output, 'shop')
  })

  test('the server can be stopped, started and restarted, and its log read', async ({ assert }) => {
    assert.equal((await act('stop')).status, 'done')
    const stopped = await list()
    assert.equal(stopped.server!.status, 'stopped')
    assert.isNull(stopped.server!.actions.start)
    assert.isNotEmpty(stopped.databases)
    const shop = await named('shop')
    const details = await machine.visitor.page(`/database/mysql/${shop.id}`)
    assert.isNull((details.json.props as unknown as DatabasePage).tables)
    const refused = await machine.visitor.post('/database/mysql/drop', {
      id: shop.id,
      name: 'shop',
    })
    assert.equal(refused.status, 503)
    assert.match(refused.json.message!, /is not running/)
    for (const action of ['start', 'restart'] as const)
      assert.equal((await act(action)).status, 'done')
    assert.equal((await list()).server!.status, 'running')
    const log = await machine.visitor.get(
      `/database/mysql/server/log?server_instance_id=${machine.instance.id}`
    )
    assert.isNotEmpty(log.json.data!.lines)
  })

  test('a user can connect from one outside address, and the port is open only meanwhile', async ({
    assert,
  }) => {
    // Deletes the user that was created by hand above. It may connect from outside, so Berth would keep the port open.
    await machine.inside('mariadb', '-e', "DROP USER IF EXISTS 'hand'@'10.0.0.%'")
    const user = { ...at(), username: 'shop_user', host: 'localhost' }
    const opened = await machine.visitor.post('/database/mysql/user/remote', {
      ...user,
      address: '203.0.113.7',
    })
    const listening = async () => (await machine.inside('ss', '-tlnH', 'sport = :3306')).output
    const port = async () => (await machine.instance.refresh()).ports['3306']
    if (opened.status === 409) {
      assert.match(opened.json.message!, /SSH tunnel/)
      assert.include(await listening(), '127.0.0.1')
      return
    }
    assert.equal(opened.status, 200, opened.text)
    const hosts = async () =>
      ((await list()).users as MysqlUserRow[])
        .filter(({ User }) => User === 'shop_user')
        .map(({ Host }) => Host)
    assert.sameMembers(await hosts(), ['localhost', '203.0.113.7'])
    assert.include(await listening(), '0.0.0.0')
    assert.isNumber(await port())
    // A rejected change keeps the previous address.
    const root = (...lines: string[]) => machine.inside('mariadb', '-e', lines.join(';'))
    await root(
      'CREATE USER sock@localhost IDENTIFIED VIA unix_socket',
      "CREATE USER sock@'203.0.113.7'"
    )
    const refused = await machine.visitor.post('/database/mysql/user/remote', {
      ...user,
      username: 'sock',
      address: '203.0.113.8',
    })
    assert.isFalse(refused.json.success)
    assert.match(refused.json.message!, /Set a password first/)
    const { output: left } = await root("SELECT Host FROM mysql.user WHERE User = 'sock'")
    assert.include(left, '203.0.113.7')
    await root("DROP USER sock@localhost, sock@'203.0.113.7'")
    const closed = await machine.visitor.post('/database/mysql/user/remote', {
      ...user,
      address: '',
    })
    assert.equal(closed.status, 200, closed.text)
    assert.deepEqual(await hosts(), ['localhost'])
    assert.isUndefined(await port())
  })

  test("the list contains WordPress's own database, and WordPress can use a database created on the page", async ({
    assert,
  }) => {
    const id = await machine.store('wordpress', 'blog')
    const own = await named(`wordpress${id}`)
    assert.isAtLeast((await list()).databases.length, 2)
    assert.equal(own.accountId, machine.customer.id)

    await machine.works('/database/mysql/store', {
      ...at(),
      database_name: 'press',
      username: 'press',
      user_password: DATABASE_PASSWORD,
    })
    const given = await machine.visitor.post('/database/mysql/project', {
      ...at(),
      database_name: 'press',
      username: 'press',
      user_password: DATABASE_PASSWORD,
      project_id: id,
    })
    assert.equal(given.status, 200, given.text)
    const { environment } = await Project.findOrFail(id)
    assert.equal(environment.DB_PASSWORD, DATABASE_PASSWORD)
    // Connects with the settings that the page suggests for wp-config.php.
    const page = await machine.visitor.page(`/database/mysql/${(await named('press')).id}`)
    const { connections } = page.json.props as unknown as DatabasePage
    const { text } = connections.find(({ label }) => label.startsWith('WordPress'))!
    const secret = DATABASE_PASSWORD.replace(/[\\']/g, '\\$&')
    const config = `<?php\n${text.replace("'{password}'", `'${secret}'`)}\nnew mysqli(DB_HOST, DB_USER, DB_PASSWORD, DB_NAME); echo 'in';\n`
    await machine.incus.instances.pushFile(machine.system, '/root/wp.php', config)
    const php = await machine.inside('php', '/root/wp.php')
    assert.equal(php.output, 'in', php.errors)
  })

  test('a database server stays installed on an instance that became too small, and a warning suggests a larger package', async ({
    assert,
  }) => {
    const { memoryBytes } = machine.instance
    await machine.instance.merge({ memoryBytes: 128 * 1024 ** 2 }).save()
    try {
      const { actions, warning } = (await list()).server!
      assert.equal(actions.install, 'The database server is already installed.')
      assert.match(warning!, /larger package/)
    } finally {
      await machine.instance.merge({ memoryBytes }).save()
    }
  })

  test('databases are deleted with their instance', async ({ assert }) => {
    const { markInstanceDatabasesDeleted } =
      await import('#databases/actions/mark_databases_deleted')
    const { default: db } = await import('@adonisjs/lucid/services/db')
    await db.transaction((trx) => markInstanceDatabasesDeleted(machine.instance, trx))
    const left = await Database.live().where('serverInstanceId', machine.instance.id)
    assert.lengthOf(left, 0)
  })
})
