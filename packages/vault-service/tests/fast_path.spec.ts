import { test } from '@japa/runner'
import { once } from 'node:events'
import { connect } from 'node:net'
import { parsePlainGet } from '../http/fast_path.js'
import { TestServing } from './test_server.js'

const head = (...lines: string[]) => Buffer.from([...lines, '', ''].join('\r\n'), 'latin1')

test.group('Requests that are answered before Node’s HTTP server', () => {
  test('a GET without a body and without special headers is answered before the HTTP server', ({
    assert,
  }) => {
    const plain = parsePlainGet(
      head(
        'GET /v/a%20b HTTP/1.1',
        'HOST: x',
        'Accept-Encoding: gzip, br',
        'Connection: keep-alive'
      )
    )
    assert.deepEqual(plain, {
      address: { key: 'v', name: 'a b', query: '' },
      accept: 'gzip, br',
    })
    assert.isDefined(parsePlainGet(head('GET /v/a HTTP/1.1', 'host:x', 'Sec-Fetch-Mode: no-cors')))
  })

  test('other requests go to the HTTP server: {$self}')
    .with([
      'HEAD /v/a HTTP/1.1',
      'GET /v/a HTTP/1.0',
      'GET /v/a?x HTTP/1.1',
      'GET  /v/a HTTP/1.1',
      'GET http://x/v/a HTTP/1.1',
      'GET /v/../a HTTP/1.1',
      'GET /v HTTP/1.1',
      'GET /v/ HTTP/1.1',
      'GET /control/a HTTP/1.1',
      'GET /v/a%zz HTTP/1.1',
      'GET /v/\u00fc HTTP/1.1',
      'get /v/a HTTP/1.1',
    ])
    .run(({ assert }, line) => {
      assert.isUndefined(parsePlainGet(head(line, 'Host: x')))
    })

  test('requests with a special header go to the HTTP server: {$self}')
    .with([
      'Range: bytes=0-1',
      'If-None-Match: *',
      'Origin: https://x',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      'Connection: close',
      'Connection: upgrade',
      'Expect: 100-continue',
      'Authorization: AWS4-HMAC-SHA256 x',
      'X-Amz-Date: x',
      'Host: y',
      'Accept-Encoding: br\r\nAccept-Encoding: x',
      ' folded: x',
      'no colon',
      ': x',
      'Content-Length : 5',
      'Accept: \u00fc',
      'Accept: a\nRange: b',
      'X-Other: 1',
    ])
    .run(({ assert }, line) => {
      assert.isUndefined(parsePlainGet(head('GET /v/a HTTP/1.1', 'Host: x', line)))
    })

  test('truncated, pipelined and long requests are left to the HTTP server', ({ assert }) => {
    const whole = head('GET /v/a HTTP/1.1', 'Host: x')
    assert.isDefined(parsePlainGet(whole))
    for (let at = 0; at < whole.length; at++)
      assert.isUndefined(parsePlainGet(whole.subarray(0, at)))
    assert.isUndefined(parsePlainGet(Buffer.concat([whole, whole])))
    assert.isUndefined(parsePlainGet(Buffer.concat([whole, Buffer.from('G')])))
    assert.isUndefined(parsePlainGet(head('GET /v/a HTTP/1.1')))
    assert.isUndefined(
      parsePlainGet(head('GET /v/a HTTP/1.1', 'Host: x', `Cookie: ${'x'.repeat(5000)}`))
    )
  })

  test('from the first request of another kind on, the HTTP server handles the connection', async ({
    assert,
  }) => {
    const on = await TestServing.start()
    const vault = await on.makeVault()
    await on.put(vault, 'a.txt', 'A'.repeat(5))
    await on.ask(`/${vault.key}/a.txt`)
    const socket = connect(Number(new URL(on.url).port), '127.0.0.1')
    const say = async (line: string, ...lines: string[]) => {
      const heard = once(socket, 'data')
      socket.write(head(line, 'Host: x', ...lines))
      return String((await heard)[0])
    }
    const get = `GET /${vault.key}/a.txt HTTP/1.1`
    assert.match(await say(get), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nAAAAA$/)
    assert.match(await say(get), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nAAAAA$/)
    assert.match(await say(get, 'Range: bytes=0-1'), /^HTTP\/1\.1 206 [^]*\r\n\r\nAA$/)
    assert.match(await say(get), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nAAAAA$/)
    const heard = once(socket, 'data')
    for (const letter of `${get}\r\nHost: x\r\n\r\n`) socket.write(letter)
    assert.match(String((await heard)[0]), /\r\n\r\nAAAAA$/)

    // At most the first of these two requests takes the fast path. Node's HTTP server answers the second. The responses
    // must stay in order.
    const both: Buffer[] = []
    socket.on('data', (chunk: Buffer) => both.push(chunk))
    for (let round = 1; round <= 50; round++) {
      both.length = 0
      const fresh = connect(Number(new URL(on.url).port), '127.0.0.1').setNoDelay()
      fresh.on('data', (chunk: Buffer) => both.push(chunk))
      await once(fresh, 'connect')
      fresh.write(head(get, 'Host: x'))
      fresh.write(head(get, 'Host: x', 'Range: bytes=0-1', 'Connection: close'))
      await once(fresh, 'close')
      assert.match(String(Buffer.concat(both)), /^HTTP\/1\.1 200 [^]*AAAAAHTTP\/1\.1 206 [^]*AA$/)
    }
    socket.removeAllListeners('data')
    // A client that closes its sending side right after the request must still get the response.
    for (let round = 1; round <= 50; round++) {
      const last = connect({ port: Number(new URL(on.url).port), allowHalfOpen: true })
      const answer: Buffer[] = []
      last.on('data', (chunk: Buffer) => answer.push(chunk))
      last.end(head(get, 'Host: x'))
      await once(last, 'close')
      assert.match(String(Buffer.concat(answer)), /^HTTP\/1\.1 200 [^]*AAAAA$/)
    }

    const early = connect(Number(new URL(on.url).port), '127.0.0.1')
    await once(early, 'connect')
    const ended = Promise.all([once(socket, 'close'), once(early, 'close')])
    socket.resume()
    early.resume()
    const began = Date.now()
    await on.end()
    await ended
    // If the service did not close the connections, they would stay open for 65 s.
    assert.isBelow(Date.now() - began, 40_000)
  })
})
