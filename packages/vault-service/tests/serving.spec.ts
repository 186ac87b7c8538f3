import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from '#tests/support/eventually'
import { parseJournalRecords } from '../meter/journal.js'
import { requestCountsFolder } from '../folders.js'
import { TestServing } from './test_server.js'
import type { CreatedVault } from './test_service.js'

test.group('Serving objects from memory', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.each.setup(async () => {
    on = await TestServing.start()
    vault = await on.makeVault()
    return () => on.end()
  })
  const at = (name: string) => `/${vault.key}/${name}`

  async function counted(): Promise<number[]> {
    const folder = requestCountsFolder(on.folder)
    const sums = [0, 0, 0]
    for (const name of await readdir(folder)) {
      for (const record of parseJournalRecords(await readFile(join(folder, name)))) {
        if (record.vaultId !== vault.id) continue
        const { requests, bytesIn, bytesOut } = record
        for (const [at, add] of [requests, bytesIn, bytesOut].entries()) sums[at] += add
      }
    }
    return sums
  }

  /** Sends text over a new connection. Returns the server's output until the server closes the connection. */
  function converse(text: string): Promise<string> {
    const socket = connect(Number(new URL(on.url).port), '127.0.0.1')
    socket.write(text)
    let got = ''
    return new Promise((resolve, reject) => {
      socket.on('data', (data) => (got += data.toString()))
      socket.on('error', reject)
      socket.on('close', () => resolve(got))
    })
  }

  test('serves cached objects without a database query', async ({ assert }) => {
    await on.put(vault, 'a.txt', 'a'.repeat(2000))
    const headers = { 'Accept-Encoding': 'br' }
    await on.ask(at('a.txt'), { headers })
    const { database } = on.serving
    const rows = database.rows.bind(database)
    let asked = 0
    database.rows = (text, values) => {
      asked++
      return rows(text, values)
    }
    for (let times = 0; times < 5; times++) {
      for (const method of ['GET', 'HEAD']) {
        assert.equal((await on.ask(at('a.txt'), { method, headers })).status, 200)
      }
      assert.equal((await on.ask(at('a.txt'), { headers: { Range: 'bytes=1-2' } })).status, 206)
    }
    assert.equal(asked, 0)
    await on.ask(at('b.txt'))
    assert.isAbove(asked, 0)
  })

  test('counts every response exactly once, with the bytes of its body', async ({ assert }) => {
    await on.put(vault, 'a.bin', Buffer.alloc(1000), { type: 'image/png' })
    await on.put(vault, 'l.bin', Buffer.alloc(2_000_000), { type: 'image/png' })
    let [requests, bytes] = [0, 0]
    const expect = async (path: string, length: number, method: string, headers = {}) => {
      const got = await on.ask(path, { method, headers })
      assert.lengthOf(got.body, got.status < 300 ? length : got.body.length)
      bytes += length
      requests++
      assert.deepEqual(await counted(), [requests, 0, bytes])
    }
    for (let times = 0; times < 2; times++) {
      await expect(at('a.bin'), 1000, 'GET')
      await expect(at('a.bin'), 0, 'HEAD')
      await expect(at('a.bin'), 10, 'GET', { Range: 'bytes=0-9' })
      await expect(at('a.bin'), 0, 'GET', { 'If-None-Match': '*' })
      await expect(at('a.bin'), 0, 'GET', { Range: 'bytes=-0' })
      await expect(at('nothing'), 0, 'GET')
      await expect(at('l.bin'), 2_000_000, 'GET')
      await expect(at('l.bin'), 1_500_000, 'GET', { Range: 'bytes=-1500000' })
    }
    await on.ask('/nobody/a.bin')
    assert.deepEqual(await counted(), [requests, 0, bytes])
  })

  test('counts the bytes that were sent of an interrupted body, and leaves nothing open', async ({
    assert,
  }) => {
    const size = 60_000_000
    await on.put(vault, 'l.bin', randomBytes(size), { type: 'video/mp4' })
    await new Promise<void>((resolve) => {
      const asking = get(`${on.url}${at('l.bin')}`, (answer) => {
        answer.once('data', () => asking.destroy())
        answer.on('error', () => {})
        answer.on('close', resolve)
      })
      asking.on('error', () => {})
    })
    await eventually(async () => {
      const [requests, , bytes] = await counted()
      assert.equal(requests, 1)
      assert.isAbove(bytes, 0)
      assert.isBelow(bytes, size / 2)
    })
    const open = await readdir('/proc/self/fd')
    assert.isBelow(open.length, 200)
    assert.equal((await on.ask(at('l.bin'))).body.length, size)
  })

  test('answers pipelined requests in order', async ({ assert }) => {
    await on.put(vault, 'hot.txt', 'HOT')
    await on.put(vault, 'cold.txt', 'COLD')
    await on.put(vault, 'large.txt', 'L'.repeat(1_500_000))
    await on.put(vault, 'empty.txt', '')
    await on.ask(at('hot.txt'))
    await on.ask(at('empty.txt'))
    const names = ['hot', 'cold', 'hot', 'nothing', 'hot', 'empty', 'large', 'hot', 'empty', 'hot']
    const lines = names.map((name) => `GET ${at(name)}.txt HTTP/1.1\r\nHost: x\r\n\r\n`)
    const last = `HEAD ${at('hot.txt')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const got = await converse(lines.join('') + last)
    const answers = got.split(/HTTP\/1\.1 (?=\d{3})/).slice(1)
    const bodies = answers.map((answer) => answer.split('\r\n\r\n')[1])
    assert.deepEqual(
      bodies.map((body) => body.replace(/L{1500000}/, 'LARGE')),
      [
        'HOT',
        'COLD',
        'HOT',
        '{"success":false,"message":"This object does not exist."}',
        'HOT',
        '',
        'LARGE',
        'HOT',
        '',
        'HOT',
        '',
      ]
    )
  })

  test('closes the connection of an HTTP/1.0 client, and after `Connection: close`', async ({
    assert,
  }) => {
    await on.put(vault, 'a.txt', 'A')
    for (let times = 0; times < 2; times++) {
      const old = await converse(`GET ${at('a.txt')} HTTP/1.0\r\n\r\n`)
      assert.match(old, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nA$/)
      const closed = `GET ${at('a.txt')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
      const got = await converse(closed)
      assert.match(got, /\r\nConnection: close\r\n[^]*A$/)
    }
  })

  test('a response from cached bytes has the same headers as any other', async ({ assert }) => {
    await on.put(vault, 'a.txt', 'text '.repeat(1000))
    const answers = []
    for (let times = 0; times < 3; times++) {
      // The second path has a query, so Node's HTTP server handles it and not the fast path.
      for (const path of [at('a.txt'), `${at('a.txt')}?x`]) {
        const { headers, text } = await on.ask(path, { headers: { 'Accept-Encoding': 'gzip' } })
        const { connection: _, 'keep-alive': __, date, ...rest } = headers
        assert.closeTo(Date.parse(date!), Date.now(), 3000)
        answers.push({ rest, text })
      }
    }
    for (const one of answers) assert.deepEqual(one, answers[0])
  })
})
