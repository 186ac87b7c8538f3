import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from '@japa/runner'
import { IncusMachine } from '#packages/machine/main'
import { FakeIncus } from '../fake.ts'
import { Transport } from '../transport.ts'
import { websocketStream } from '../websocket_stream.ts'
import {
  createClientCertificate,
  certificateFingerprint,
  Incus,
  IncusError,
  isIncusError,
  parseMetrics,
  parseTrustToken,
} from '../main.ts'

const trustToken = (fields: object) =>
  Buffer.from(
    JSON.stringify({ fingerprint: 'a'.repeat(64), secret: 'secret', ...fields })
  ).toString('base64')

test.group('Incus client | connections', () => {
  test('a server that cannot be reached causes an error of the kind `unreachable`', async ({
    assert,
  }) => {
    const incus = Incus.local('/nonexistent/unix.socket')
    const error = await incus.info().catch((thrown: unknown) => thrown)
    assert.isTrue(isIncusError(error, 'unreachable'))
    await incus.close()
  })

  test('waiting for an operation continues after broken connections', async ({ assert }) => {
    const fake = await FakeIncus.start()
    const incus = Incus.local(fake.socketPath)
    const created = await incus.instances.create({ name: 'slow-create', image: 'berth-base' })
    const waiting = created.wait(30)
    await new Promise((resolve) => setImmediate(resolve))
    fake.dropConnections()
    assert.equal((await waiting).status_code, 200)
    await incus.close()
    await fake.stop()
  })

  test('waiting for an operation can be cancelled while the server cannot be reached', async ({
    assert,
  }) => {
    const incus = Incus.local('/nonexistent/unix.socket')
    const stopping = new AbortController()
    const waiting = incus.operation('some').wait(30, stopping.signal)
    // The first attempt fails immediately. The abort happens during the pause of 0.5 s before the next one.
    setTimeout(() => stopping.abort(), 100)
    const error = await waiting.catch((thrown: unknown) => thrown)
    assert.isTrue(isIncusError(error, 'cancelled'), String(error))
    await incus.close()
  })

  test('a connection that breaks during a response causes an error of the kind `unreachable`', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'cut-'))
    const server = createHttpServer((_request, response) => {
      const headers = { 'content-length': 1_000, 'x-incus-type': 'directory' }
      response.writeHead(200, headers).write('incus_')
      setTimeout(() => response.destroy(), 50)
    })
    const socket = join(folder, 'unix.socket')
    await once(server.listen(socket), 'listening')
    const incus = Incus.local(socket)
    cleanup(async () => {
      await incus.close()
      server.close()
      await rm(folder, { recursive: true })
    })
    const calls = {
      metrics: () => incus.metrics(),
      files: () => incus.instances.pullFile('web', '/'),
    }
    for (const [name, call] of Object.entries(calls)) {
      const error = await call().catch((thrown: unknown) => thrown)
      assert.isTrue(isIncusError(error, 'unreachable'), `${name}: ${String(error)}`)
    }
  })

  test('a change is retried until the instance has stopped, and other errors are thrown immediately', async ({
    assert,
  }) => {
    const answers = ['Failed to update: Instance is busy running a "stop" operation', '']
    const server = createHttpServer((_request, response) => {
      const error = answers.shift() ?? 'Invalid key'
      response.statusCode = error ? 400 : 200
      response.end(JSON.stringify({ type: error ? 'error' : 'sync', error, metadata: {} }))
    })
    const folder = await mkdtemp(join(tmpdir(), 'busy-'))
    const socket = join(folder, 'unix.socket')
    server.listen(socket)
    await once(server, 'listening')
    const incus = Incus.local(socket)
    try {
      await incus.instances.patchWhenIdle('web', { config: {} }, 60_000)
      assert.lengthOf(answers, 0)
      await assert.rejects(
        () => incus.instances.patchWhenIdle('web', { config: {} }, 60_000),
        /Invalid key/
      )
      answers.push('Instance is busy running a "stop" operation')
      await assert.rejects(
        () => incus.instances.patchWhenIdle('web', { config: {} }, -1),
        /is busy running/
      )
    } finally {
      await incus.close()
      server.close()
      await rm(folder, { recursive: true })
    }
  })

  test('the fake Incus fails for instances with names such as fail-create', async ({ assert }) => {
    const fake = await FakeIncus.start()
    const incus = Incus.local(fake.socketPath)
    const created = await incus.instances.create({ name: 'fail-create', image: 'berth-base' })
    const error = await created.wait(30).catch((thrown: unknown) => thrown)
    assert.isTrue(isIncusError(error, 'bad_request', 'failed'))
    await incus.close()
    await fake.stop()
  })

  test('the fake Incus simulates programs with the handlers of a test', async ({ assert }) => {
    const fake = await FakeIncus.start()
    const incus = Incus.local(fake.socketPath)
    await (await incus.instances.create({ name: 'web', image: 'berth-base', start: true })).wait(30)
    fake.onExec(({ argv }) => (argv[0] === 'node' ? { stdout: 'v24.0.0\n' } : null))
    const version = await incus.instances.exec('web', ['node', '--version'])
    assert.equal(version.stdout.toString(), 'v24.0.0\n')
    assert.equal((await incus.instances.exec('web', ['false'])).exitCode, 1)
    await incus.close()
    await fake.stop()
  })

  test('truncated output throws an error instead of looking complete', async ({ assert }) => {
    const fake = await FakeIncus.start()
    const incus = Incus.local(fake.socketPath)
    await (await incus.instances.create({ name: 'web', image: 'berth-base', start: true })).wait(30)
    fake.onExec(({ argv }) => (argv[0] === 'dump' ? { stdout: 'first', isCut: true } : null))
    const error = await incus.instances.exec('web', ['dump']).catch((thrown: unknown) => thrown)
    assert.isTrue(isIncusError(error, 'unreachable'))
    const machine = new IncusMachine(incus.instances, 'web')
    fake.onExec(() => ({ stdout: 'first', isCut: true }))
    await assert.rejects(() => machine.exec(['dump']), /before its output was complete/)
    await incus.close()
    await fake.stop()
  })

  test('output that Incus sent before it closed the connection arrives completely, despite a ping', async ({
    assert,
  }) => {
    const pinging = createHttpServer()
    const output = new WebSocketServer({ noServer: true })
    const large = Buffer.alloc(90_000, 'x')
    pinging.on('upgrade', (request, socket, head) => {
      output.handleUpgrade(request, socket, head, (websocket) => {
        websocket.send(large, { binary: true })
        websocket.ping('keepalive')
        websocket.send(large, { binary: true })
        websocket.send('')
        // Like Incus, closes the connection without a closing handshake.
        socket.end(() => socket.destroy())
      })
    })
    const path = join(await mkdtemp(join(tmpdir(), 'pinging-')), 'socket')
    await once(pinging.listen(path), 'listening')
    const transport = Transport.unix(path)
    let stream: Duplex
    await transport.websocket(
      '/1.0/output',
      {},
      (fresh) => (stream = websocketStream(fresh, true)),
      {
        autoPong: false,
      }
    )
    await sleep(200)
    const received = await buffer(stream!)
    assert.equal(received.length, 2 * large.length)
    await transport.close()
    pinging.close()
    await rm(dirname(path), { recursive: true })
  })

  test('the client accepts only the pinned server certificate, and presents its own', async ({
    assert,
  }) => {
    const [server, client, stranger] = ['server', 'client', 'stranger'].map((name) =>
      createClientCertificate(name)
    )
    let shown = ''
    const https = createServer(
      { ...server, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const peer = (request.socket as import('node:tls').TLSSocket).getPeerX509Certificate()
        shown = peer ? certificateFingerprint(peer.toString()) : ''
        response.end(JSON.stringify({ type: 'sync', metadata: { auth: 'trusted' } }))
      }
    )
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(https.address() as AddressInfo).port}`
    const good = Incus.remote({ url, ...client!, serverCertificate: server!.cert })
    const bad = Incus.remote({ url, ...client!, serverCertificate: stranger!.cert })
    try {
      assert.equal((await good.info()).auth, 'trusted')
      assert.equal(shown, certificateFingerprint(client!.cert))
      const error = await bad.info().catch((thrown: unknown) => thrown)
      assert.isTrue(isIncusError(error, 'forbidden'))
    } finally {
      await good.close()
      await bad.close()
      https.closeAllConnections()
      https.close()
    }
  })
})

test.group('Incus client | certificates and tokens', () => {
  test('the created certificate can be parsed by Node and OpenSSL', async ({ assert }) => {
    const { cert, key } = createClientCertificate('panel')
    const parsed = new X509Certificate(cert)
    assert.equal(parsed.subject, 'CN=panel')
    assert.isTrue(parsed.verify(parsed.publicKey))
    assert.match(key, /BEGIN PRIVATE KEY/)
    const text = await new Promise<string>((resolve, reject) => {
      const child = execFile('openssl', ['x509', '-noout', '-text'], (error, out) =>
        error ? reject(error) : resolve(out)
      )
      child.stdin?.end(cert)
    })
    assert.match(text, /TLS Web Client Authentication/)
  })

  test('an invalid trust token throws an error', ({ assert }) => {
    assert.throws(() => parseTrustToken('bm90IGEgdG9rZW4='), 'This is not an Incus trust token')
    for (const addresses of [undefined, [], 'host:8443', [null]]) {
      const token = trustToken({ addresses })
      assert.throws(() => parseTrustToken(token), 'This is not an Incus trust token')
    }
  })

  test('an address that is no address is skipped, and the error names it', async ({
    assert,
    cleanup,
  }) => {
    const token = trustToken({ addresses: ['127.0.0.1:1', 'not an address'] })
    const joinWith = async (address?: string) =>
      Incus.joinWithToken(token, 'berth', { address }).catch((thrown: unknown) => thrown)
    const ofToken = await joinWith()
    assert.isTrue(isIncusError(ofToken, 'unreachable'), String(ofToken))
    assert.include((ofToken as Error).message, '"not an address" is not name or name:port')
    const ofPerson = await joinWith('host:99999')
    assert.isTrue(isIncusError(ofPerson, 'unreachable'), String(ofPerson))
    assert.include((ofPerson as Error).message, '"host:99999" is not name or name:port')

    const server = createClientCertificate('server')
    const https = createServer(server, (_request, response) => {
      response.end(JSON.stringify({ type: 'sync', metadata: {} }))
    })
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve))
    cleanup(() => {
      https.closeAllConnections()
      https.close()
    })
    const good = `127.0.0.1:${(https.address() as AddressInfo).port}`
    const fingerprint = certificateFingerprint(server.cert)
    const mixed = trustToken({ addresses: ['not an address', good], fingerprint })
    assert.equal((await Incus.joinWithToken(mixed, 'berth')).url, `https://${good}`)
  })
})

test.group('Incus client | metrics', () => {
  test('an instance’s CPU times without idle time are added up, and so is its traffic without loopback', ({
    assert,
  }) => {
    const label = 'name="a",project="default",type="container"'
    const [metrics] = parseMetrics(
      [
        '# TYPE incus_cpu_seconds_total counter',
        `incus_cpu_seconds_total{cpu="0",mode="user",${label}} 1.5`,
        `incus_cpu_seconds_total{cpu="1",mode="system",${label}} 0.5`,
        `incus_cpu_seconds_total{cpu="1",mode="idle",${label}} 99`,
        `incus_memory_MemTotal_bytes{${label}} 1000`,
        `incus_memory_MemAvailable_bytes{${label}} 400`,
        `incus_network_receive_bytes_total{device="lo",${label}} 77`,
        `incus_network_receive_bytes_total{device="eth0",${label}} 5`,
        'incus_uptime_seconds 3',
      ].join('\n')
    )
    assert.equal(metrics!.cpuSeconds, 2)
    assert.equal(metrics!.memoryUsed, 600)
    assert.equal(metrics!.networkReceivedBytes, 5)
  })
})

test('very long error messages of Incus are shortened', ({ assert }) => {
  const error = IncusError.fromAnswer(400, `first ${'x'.repeat(3_000_000)} last`)
  assert.isBelow(error.message.length, 3_100)
  assert.match(error.message, /^first .* last$/)
})
