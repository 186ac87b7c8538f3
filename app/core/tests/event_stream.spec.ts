import { type EventStream, openEventStream } from '#core/live/event_stream'
import { eventually } from '#tests/support/eventually'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

const megabyte = 2 ** 20

test.group('Event streams', (group) => {
  const after: (() => unknown)[] = []
  group.each.teardown(async () => {
    for (const undo of after.splice(0).reverse()) await undo()
  })

  /** Opens a stream to a client that does not read from its socket. */
  async function open(patience?: number) {
    let found: (stream: { stream: EventStream; response: ServerResponse }) => void
    const asked = new Promise<{ stream: EventStream; response: ServerResponse }>(
      (resolve) => (found = resolve)
    )
    const server = createServer((_request, response) => {
      const ctx = { response: { response, relayHeaders() {} } } as unknown as HttpContext
      found({ stream: openEventStream(ctx, { patience }), response })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const reader: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    reader.on('error', () => {})
    reader.pause()
    after.push(
      () => server.close(),
      () => reader.destroy()
    )
    reader.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
    const { stream, response } = await asked
    let closed = false
    stream.onClose(() => (closed = true))
    return { stream, response, reader, isClosed: () => closed }
  }

  test('a client that reads nothing is disconnected before unsent messages fill the memory', async ({
    assert,
  }) => {
    const { stream, response, isClosed } = await open()
    const message = 'x'.repeat(64 * 1024)
    let most = 0
    for (let sent = 0; sent < 200 * megabyte && !isClosed(); sent += message.length) {
      void stream.send(message)
      most = Math.max(most, response.writableLength)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(() => assert.isTrue(isClosed()))
    assert.isBelow(most, 1.5 * megabyte)
  })

  test('a sender that awaits `send` is slowed down, and the stream ends if the client reads nothing', async ({
    assert,
  }) => {
    const { stream, response, isClosed } = await open(500)
    const message = 'x'.repeat(64 * 1024)
    let sent = 0
    let most = 0
    const source = (async () => {
      while (!isClosed()) {
        await stream.send(message)
        sent += message.length
        most = Math.max(most, response.writableLength)
      }
    })()
    await eventually(() => assert.isTrue(isClosed()))
    await source
    assert.isBelow(most, megabyte)
    // For each connection, the kernel buffers some megabytes that the client has not read.
    assert.isBelow(sent, 32 * megabyte)
  })

  test('a slow client receives all messages, in order', async ({ assert }) => {
    const { stream, reader, isClosed } = await open(60_000)
    const filler = 'x'.repeat(32 * 1024)
    const count = 400
    const source = (async () => {
      for (let number = 0; number < count; number++) await stream.send({ number, filler })
      stream.end()
    })()
    let text = ''
    reader.on('data', (chunk) => {
      text += chunk
      reader.pause()
      setTimeout(() => reader.resume(), 2)
    })
    reader.resume()
    await source
    await eventually(() => assert.isTrue(text.includes('\r\n0\r\n\r\n')))
    const numbers = [...text.matchAll(/data: \{"number":(\d+)/g)].map(([, number]) =>
      Number(number)
    )
    assert.deepEqual(
      numbers,
      Array.from({ length: count }, (_one, number) => number)
    )
    reader.destroy()
    await eventually(() => assert.isTrue(isClosed()))
  })

  test('a listener that is added after the end is called immediately', async ({ assert }) => {
    const { stream, reader, isClosed } = await open()
    reader.destroy()
    await eventually(() => assert.isTrue(isClosed()))
    let told = false
    stream.onClose(() => (told = true))
    assert.isTrue(told)
  })
})
