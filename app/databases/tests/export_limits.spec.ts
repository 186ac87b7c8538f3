import Database from '#databases/models/database'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { respondWithDownload } from '#databases/transfer/respond_with_download'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn } from '#tests/support/people'
import { HttpContextFactory, RequestFactory, ResponseFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'

test.group('MySQL | limits of exports', (group) => {
  let mariadb: Mariadb
  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })

  test('an account can run two exports at the same time, and other accounts are not affected', async ({
    assert,
  }) => {
    const makeShop = async () => {
      const customer = await makeCustomer()
      const visitor = await signIn(customer)
      const name = `${accountPrefix(customer.id)}shop`
      await mariadb.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
      await mariadb.ask(`CREATE TABLE ${name}.t (a LONGTEXT)`)
      // The table is larger than the buffers of the connection, so that the export waits for its client.
      for (let row = 0; row < 30; row++) {
        await mariadb.ask(`INSERT INTO ${name}.t VALUES (REPEAT('x', 900000))`)
      }
      await Database.create({
        accountId: customer.id,
        serverInstanceId: null,
        engine: 'mysql',
        name,
        status: 'active',
      })
      const path = '/database/mysql/export?database_name=shop'
      return (signal?: AbortSignal) => visitor.fetch(path, { signal })
    }
    const running = () =>
      mariadb.ask(
        `SELECT ID FROM information_schema.PROCESSLIST WHERE USER LIKE 'berth\\_work\\_%'`
      )
    // Both customers are created first, because a download that nobody reads ends after a minute.
    const [download, downloadOfOther] = [await makeShop(), await makeShop()]
    const stops = [new AbortController(), new AbortController()]
    // References to the responses are kept. If a response was garbage collected, its export would end.
    const unread = [await download(stops[0].signal), await download(stops[1].signal)]
    for (const { status } of unread) assert.equal(status, 200)
    const third = await download()
    assert.equal(third.status, 429)
    assert.include(await third.text(), '2 exports are already running on this database server.')
    assert.lengthOf(await running(), 2)
    assert.match(await (await downloadOfOther()).text(), /-- Dump completed/)
    stops[0].abort()
    await eventually(async () => assert.lengthOf(await running(), 1))
    assert.match(await (await download()).text(), /-- Dump completed/)
    stops[1].abort()
    await assert.rejects(() => unread[1].text())
  }).timeout(600_000)
})

test.group('Downloads | slow readers', () => {
  interface Limits {
    bytes?: number
    minBytesPerSecond?: number
    rateWindowMs: number
  }

  const serve = async (body: Readable, limits: Limits) => {
    const server = createServer((req, res) => {
      const response = new ResponseFactory().merge({ req, res }).create()
      const request = new RequestFactory().merge({ req, res }).create()
      const ctx = new HttpContextFactory().merge({ request, response }).create()
      const file = { filename: 'a', mediaType: 'text/plain' }
      void respondWithDownload(ctx, body, Object.assign(file, limits))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return { server, answer }
  }

  const endlessBody = () => {
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(64 * 1024)) })
    return endless
  }

  test('a reader that takes no byte ends the program that writes the download', async ({
    assert,
  }) => {
    const endless = endlessBody()
    const { server, answer } = await serve(endless, { rateWindowMs: 200 })
    await eventually(() => assert.isTrue(endless.destroyed))
    answer.destroy()
    server.close()
  })

  test('a reader below the minimum rate ends the program, although it takes bytes', async ({
    assert,
  }) => {
    const endless = endlessBody()
    // A rate that no machine reaches.
    const limits = { minBytesPerSecond: 1024 ** 4, rateWindowMs: 200 }
    const { server, answer } = await serve(endless, limits)
    let taken = 0
    answer.on('error', () => {})
    const reading = setInterval(() => (taken += (answer.read() as Buffer | null)?.length ?? 0), 5)
    await eventually(() => assert.isTrue(endless.destroyed), 20_000)
    clearInterval(reading)
    assert.isAbove(taken, 0)
    answer.destroy()
    server.close()
  })

  test('a reader of a finished file may pause', async ({ assert }) => {
    const bytes = 32 * 1024 ** 2
    const file = Readable.from([Buffer.alloc(bytes / 2), Buffer.alloc(bytes / 2)])
    const { server, answer } = await serve(file, { bytes, rateWindowMs: 50 })
    await sleep(1_000)
    assert.lengthOf(Buffer.concat(await answer.toArray()), bytes)
    server.close()
  })

  test('a download does not time out while the export program writes nothing', async ({
    assert,
  }) => {
    const pauses = async function* () {
      for (const part of ['one, ', 'two, ', 'three']) {
        await sleep(500)
        yield Buffer.from(part)
      }
    }
    const { server, answer } = await serve(Readable.from(pauses()), { rateWindowMs: 100 })
    const parts = await answer.toArray()
    assert.equal(Buffer.concat(parts).toString(), 'one, two, three')
    server.close()
  })
})
