import { connectToMysql, withConnection } from '#databases/mysql/connect'
import { runStatement, unwrapPromiseConnection } from '#databases/mysql/run_statement'
import { managedServer } from '#databases/servers/resolve_database_server'
import { eventually } from '#tests/support/eventually'
import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import mysql, { type Connection } from 'mysql2'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Sends the fake server's response to a query. Customers control every byte of their own database servers. */
type Answers = (connection: Connection, sql: string) => void

async function serve(answers: Answers) {
  const heard: Buffer[] = []
  const server = mysql.createServer((connection: Connection) => {
    connection.on('error', () => {})
    const { stream } = connection as unknown as { stream: NodeJS.ReadableStream }
    stream.on('data', (chunk: Buffer) => heard.push(chunk))
    ;(connection as unknown as { serverHandshake(options: object): void }).serverHandshake({
      protocolVersion: 10,
      serverVersion: '10.11.6-MariaDB',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xf7ff,
    })
    connection.on('query' as never, ((sql: string) => answers(connection, sql)) as never)
  })
  server.listen(0)
  const { _server: net } = server as unknown as { _server: Server }
  await once(net, 'listening')
  const { port } = net.address() as AddressInfo
  env.set('MYSQL_URL' as never, new Secret(`mysql://root@127.0.0.1:${port}`) as never)
  return {
    heard: () => Buffer.concat(heard).toString('latin1'),
    stop() {
      env.set('MYSQL_URL' as never, undefined as never)
      // `env.set` with undefined has set the text "undefined".
      delete process.env.MYSQL_URL
      net.close()
    },
  }
}

const account = { user: 'work', password: '' }

const packetOf = (bytes: Buffer) => {
  const packet = Buffer.concat([Buffer.alloc(4), bytes])
  packet.writeUIntLE(bytes.length, 0, 3)
  packet[3] = 1
  return packet
}

test.group('MySQL | hostile database servers', () => {
  test('a server that requests a local file of Berth gets none', async ({ assert, cleanup }) => {
    const server = await serve((connection) => {
      const wish = packetOf(Buffer.concat([Buffer.from([0xfb]), Buffer.from('/etc/passwd')]))
      ;(connection as unknown as { stream: NodeJS.WritableStream }).stream.write(wish)
    })
    cleanup(() => server.stop())
    const connection = await connectToMysql(managedServer(1, 'mysql')!, { account })
    connection.on('error', () => {})
    const signal = AbortSignal.timeout(3_000)
    await assert.rejects(() =>
      runStatement(unwrapPromiseConnection(connection), 'select 1', { row: () => 'more' }, signal)
    )
    assert.notInclude(server.heard(), 'root:')
    connection.destroy()
  })

  test('endless rows in response to Berth’s own query end the connection', async ({
    assert,
    cleanup,
  }) => {
    const server = await serve((connection) => {
      const { stream } = connection as unknown as { stream: import('node:net').Socket }
      const ok = Buffer.from([1, 0, 0, 1, 1])
      const column = packetOf(Buffer.from('036465660000000161000c3f0001000000060000000000', 'hex'))
      column[3] = 2
      const eof = Buffer.from([5, 0, 0, 3, 0xfe, 0, 0, 2, 0])
      stream.write(Buffer.concat([ok, column, eof]))
      // Many rows with the single value NULL. The count makes the packet numbers continue correctly in the next
      // chunk.
      const rows = Buffer.concat(
        Array.from({ length: 80 * 256 }, (_, index) =>
          Buffer.from([1, 0, 0, (4 + index) & 0xff, 0xfb])
        )
      )
      const more = () => {
        while (!stream.destroyed && stream.write(rows));
        if (!stream.destroyed) stream.once('drain', more)
      }
      more()
    })
    cleanup(() => server.stop())
    await assert.rejects(
      () =>
        withConnection(managedServer(1, 'mysql')!, { account }, (connection) =>
          connection.query('select 1')
        ),
      /^The answer of the database server was too large/
    )
  })

  test('a query of Berth that the server never answers times out', async ({ assert, cleanup }) => {
    const server = await serve(() => {})
    cleanup(() => server.stop())
    const work = withConnection(
      managedServer(1, 'mysql')!,
      { account, queryTimeoutMs: 300 },
      (connection) => connection.query('select 1')
    )
    await assert.rejects(() => work, /^The database server did not answer in time/)
  })

  test('an endless row of a customer’s query ends the connection at 32 MB', async ({
    assert,
    cleanup,
  }) => {
    const server = await serve((connection) => {
      const { stream } = connection as unknown as { stream: import('node:net').Socket }
      // A row packet whose end never comes.
      const chunk = Buffer.alloc(1024 ** 2 * 16 + 3, 0x61)
      chunk.writeUIntLE(0xffffff, 0, 3)
      let place = 1
      const more = () => {
        for (;;) {
          chunk[3] = place++ & 0xff
          if (stream.destroyed || !stream.write(Buffer.from(chunk))) break
        }
        if (!stream.destroyed) stream.once('drain', more)
      }
      more()
    })
    cleanup(() => server.stop())
    const connection = await connectToMysql(managedServer(1, 'mysql')!, { account })
    connection.on('error', () => {})
    const before = process.memoryUsage.rss()
    await assert.rejects(
      () =>
        runStatement(
          unwrapPromiseConnection(connection),
          'select 1',
          { row: () => 'more' },
          AbortSignal.timeout(150_000)
        ),
      /larger than 32 MB/
    )
    await eventually(() => assert.isBelow((process.memoryUsage.rss() - before) / 1024 ** 2, 300))
  })
})
