import { connectToMysql } from '#databases/mysql/connect'
import { runStatement, callbackConnection } from '#databases/mysql/run_statement'
import { managedServer } from '#databases/servers/resolve_database_server'
import { eventually } from '#tests/support/eventually'
import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import mysql, { type Connection } from 'mysql2'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Answers in place of a customer's own database server. The customer controls every byte. */
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
      // Assigning undefined would set the string "undefined".
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

test.group('Queries: servers that turn on who asks', () => {
  test('a server that asks for a file of ours gets none', async ({ assert, cleanup }) => {
    const server = await serve((connection) => {
      const wish = packetOf(Buffer.concat([Buffer.from([0xfb]), Buffer.from('/etc/passwd')]))
      ;(connection as unknown as { stream: NodeJS.WritableStream }).stream.write(wish)
    })
    cleanup(() => server.stop())
    const connection = await connectToMysql(managedServer(1, 'mysql')!, { account })
    connection.on('error', () => {})
    const signal = AbortSignal.timeout(3_000)
    await assert.rejects(() =>
      runStatement(callbackConnection(connection), 'select 1', { row: () => 'more' }, signal)
    )
    assert.notInclude(server.heard(), 'root:')
    connection.destroy()
  })

  test('a server that never comes to an end is left', async ({ assert, cleanup }) => {
    const server = await serve((connection) => {
      const { stream } = connection as unknown as { stream: import('node:net').Socket }
      // Sends a row packet that never ends.
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
          callbackConnection(connection),
          'select 1',
          { row: () => 'more' },
          AbortSignal.timeout(30_000)
        ),
      /larger than 32 MB/
    )
    await eventually(() => assert.isBelow((process.memoryUsage.rss() - before) / 1024 ** 2, 300))
  })
})
