import { test } from '@japa/runner'
import { connectSsh, MachineError, type SshMachine } from '#packages/machine/main'
import { eventually, isRunning, startSshd, type TestSshd } from '#packages/machine/tests/sshd'
import { createGateway, type Gateway, type GatewayOptions, type Session } from '../main.js'
import {
  CLOSE_BAD_FRAME,
  CLOSE_DRAINED,
  CLOSE_ENDED,
  CLOSE_IDLE,
  CLOSE_MACHINE_LOST,
  CLOSE_REFUSED,
  CLOSE_TOO_MANY,
  CREDIT_BYTES,
  MAX_FRAME_BYTES,
} from '../protocol.js'
import { TestClient } from './client.js'

interface Closed {
  id: string
  reason: string
  bytes: number
}

test.group('Terminal gateway', (group) => {
  let sshd: TestSshd
  let machine: SshMachine
  let opened: number
  let closed: Closed[]
  const gateways: Gateway[] = []
  const clients: TestClient[] = []

  group.each.setup(async () => {
    sshd = await startSshd()
    machine = await connectSsh(sshd.target)
    opened = 0
    closed = []
    return async () => {
      for (const client of clients.splice(0)) client.socket.terminate()
      for (const gateway of gateways.splice(0)) await gateway.close()
      await machine.close()
      await sshd.stop()
    }
  })

  /** Grants are `good-…`; a grant names its session. Plain sh, so that no profile interferes. */
  async function serve(options: Partial<GatewayOptions> = {}) {
    const gateway = createGateway({
      allowedOrigins: (origin) => origin === 'https://berth.test',
      authenticate: async ({ headers }) => {
        const person = /person=(\w+)/.exec(headers.cookie ?? '')
        return person ? { personId: person[1] } : null
      },
      redeem: async (grant, { personId }) => {
        if (!grant.startsWith('good-')) {
          return { refused: true, reason: 'This permission has been used or is too old' }
        }
        const session: Session = {
          id: grant,
          personId,
          machineId: 'm1',
          label: 'web-1',
          open: (size) => {
            opened++
            return machine.shell({ ...size, argv: ['sh'], env: { PS1: '# ' } })
          },
          onClosed: (reason, bytes) => {
            closed.push({ id: grant, reason, bytes })
          },
        }
        return session
      },
      onError: (error) => {
        throw error
      },
      ...options,
    })
    gateways.push(gateway)
    return { gateway, port: await gateway.listen(0, '127.0.0.1') }
  }

  async function connect(port: number, headers?: Record<string, string>) {
    const client = await TestClient.connect(port, headers)
    clients.push(client)
    return client
  }

  async function open(port: number, grant = 'good-1') {
    const client = await connect(port)
    client.signIn(grant)
    await eventually('the shell is ready', () => client.ready)
    return client
  }

  test('a foreign origin, no origin and no session are refused before anything starts', async ({
    assert,
  }) => {
    let redeemed = 0
    const { port } = await serve({
      redeem: async () => {
        redeemed++
        return { refused: true, reason: 'no' }
      },
    })
    const cookie = 'person=ann'
    const refusal = (headers: Record<string, string>) => TestClient.refusal(port, headers)
    assert.equal(await refusal({ origin: 'https://evil.example', cookie }), 403)
    assert.equal(await refusal({ cookie }), 403)
    assert.equal(await refusal({ origin: 'https://berth.test' }), 401)
    assert.equal(opened + redeemed, 0)
  })

  test('a grant that does not count is refused in words', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await connect(port)
    client.signIn('bad')
    await eventually('it is closed', () => client.closeCode !== null)
    assert.equal(client.closedReason, 'This permission has been used or is too old')
    assert.equal(client.closeCode, CLOSE_REFUSED)
    assert.equal(opened, 0)
    await eventually('its place is free', () => gateway.size === 0)
  })

  test('echoes, resizes, and ends with the shell', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await connect(port)
    client.signIn('good-1', { cols: 91, rows: 1_000_000 })
    client.type('stty size; echo "ü৳"$((40+2))\r')
    await eventually('the text shows', () => client.text.includes('ü৳42'))
    assert.include(client.text, '500 91')
    client.send({ type: 'resize', cols: 0, rows: 33.4 })
    client.type('stty size\r')
    await eventually('the new size shows', () => client.text.includes('33 2'))
    client.type('exit\r')
    await eventually('it is closed', () => client.closeCode !== null)
    assert.equal(client.closeCode, CLOSE_ENDED)
    assert.equal(client.closedReason, 'The session has ended')
    assert.deepEqual(client.messages[0], { type: 'ready', label: 'web-1' })
    await eventually('nothing is left', () => gateway.size === 0)
    assert.deepEqual(closed, [
      { id: 'good-1', reason: 'The session has ended', bytes: client.bytes },
    ])
  })

  test('bad frames are refused with a reason', async ({ assert }) => {
    const { port } = await serve()
    const cases: [string, (client: TestClient) => void][] = [
      ['A message was not JSON', (client) => client.socket.send('{')],
      ['A message was not a JSON object', (client) => client.socket.send('[]')],
      ['A message was of an unknown type', (client) => client.send({ type: 'exec' })],
      ['The first message was not the credentials', (client) => client.type('x')],
      [
        'A message was binary where text was expected',
        (client) => client.socket.send(Buffer.from('x')),
      ],
      [
        `A message was larger than ${MAX_FRAME_BYTES} bytes`,
        (client) => client.type('x'.repeat(MAX_FRAME_BYTES)),
      ],
      [
        'The credentials came without a grant',
        (client) => client.send({ type: 'credentials', cols: 80, rows: 24 }),
      ],
      [
        'A terminal size was not a number',
        (client) => client.send({ type: 'credentials', system_id: 'good-1', cols: 'x', rows: 24 }),
      ],
    ]
    for (const [reason, send] of cases) {
      const client = await connect(port)
      send(client)
      await eventually('it is closed', () => client.closeCode !== null)
      assert.equal(client.closedReason, reason)
      assert.equal(client.closeCode, CLOSE_BAD_FRAME)
    }
    assert.equal(opened, 0)
  })

  test('caps hold per person and per machine, and places come free again', async ({ assert }) => {
    const { port, gateway } = await serve({ maxPerPerson: 2, maxPerMachine: 3 })
    const first = await open(port)
    await open(port, 'good-2')
    const third = await connect(port)
    await eventually('the third is closed', () => third.closeCode === CLOSE_TOO_MANY)
    assert.equal(third.closedReason, 'You have too many terminals open')

    const bob = { cookie: 'person=bob' }
    for (const grant of ['good-3', 'good-4']) {
      const client = await connect(port, bob)
      client.signIn(grant)
      await eventually('it is decided', () => client.ready || client.closeCode !== null)
      assert.equal(client.ready, grant === 'good-3')
    }
    first.socket.close()
    await eventually('a place is free', () => gateway.size === 2)
    await open(port, 'good-5')
  })

  test('a stalled browser on a flood costs bounded memory, others go on', async ({ assert }) => {
    const { port } = await serve({ pingInterval: 600_000 })
    const stalled = await open(port)
    stalled.acknowledging = null
    // The prompt was acknowledged if it came before.
    const drawn = stalled.bytes
    stalled.type('yes 0123456789\r')
    await eventually('its credit is used up', () => stalled.bytes - drawn >= CREDIT_BYTES)
    const other = await open(port, 'good-2')
    for (let turn = 1; turn <= 20; turn++) {
      other.type(`echo $((${turn}+1000))\r`)
      await eventually('the other echoes', () => other.text.includes(String(1000 + turn)))
    }
    assert.isAtMost(stalled.bytes - drawn, CREDIT_BYTES)

    stalled.keep = 1000
    stalled.acknowledging = 'at once'
    stalled.acknowledge()
    await eventually('it goes on', () => stalled.bytes > 4 * CREDIT_BYTES)
    stalled.type('\u0003')
    stalled.type('echo $((3000+3))\r')
    await eventually('the flood has ended', () => stalled.text.includes('3003'))
  })

  test('after an interrupt on a slow line little more output comes', async ({ assert }) => {
    const { port } = await serve()
    const client = await open(port)
    client.acknowledging = null
    client.type("sh -c 'echo pid=$$; exec yes 0123456789'\r")
    await eventually('the flood runs', () => /pid=\d+\r\n/.test(client.text))
    const pid = Number(/pid=(\d+)\r\n/.exec(client.text)![1])
    client.keep = 1000
    // About 2 MB a second: 20 KB every 10 ms.
    const line = setInterval(() => client.send({ type: 'ack', bytes: 20_000 }), 10)
    await eventually('the line is busy', () => client.bytes > 3_000_000)
    clearInterval(line)
    client.type('\u0003')
    await eventually('the flood has ended', async () => !(await isRunning(pid)))
    const before = client.bytes
    client.type('echo $((3000+3))\r')
    client.acknowledging = 'at once'
    client.acknowledge()
    await eventually('what was under way has come', () => client.text.includes('3003'))
    // What a 2 MB window would hold is several times as much.
    assert.isBelow(client.bytes - before, 1_000_000)
  })

  test('a machine that dies is told in words', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    await sshd.kill()
    await eventually('it is closed', () => client.closeCode !== null)
    assert.match(client.closedReason ?? '', /^The connection to 127\.0\.0\.1:\d+ was lost$/)
    assert.equal(client.closeCode, CLOSE_MACHINE_LOST)
    const late = await connect(port)
    late.signIn('good-2')
    await eventually('nobody can come', () => late.closeCode === CLOSE_MACHINE_LOST)
    assert.match(late.closedReason ?? '', /cannot be reached$/)
    await eventually('nothing is left', () => gateway.size === 0)
    assert.lengthOf(closed, 2)
  })

  test('the shell goes with its browser, also while it is being opened', async () => {
    const { port, gateway } = await serve()
    const client = await open(port)
    client.type('echo pid=$(($$+0)); exec sleep 1000\r')
    await eventually('it runs', () => /pid=\d+\r\n/.test(client.text))
    const pid = Number(/pid=(\d+)\r\n/.exec(client.text)![1])
    client.socket.terminate()
    await eventually('the program is gone', async () => !(await isRunning(pid)))

    const hasty = await connect(port)
    hasty.signIn('good-2')
    hasty.socket.terminate()
    await eventually('nothing is left', () => gateway.size === 0)
  })

  test('draining tells the reason, closes the shells and lets nobody in', async ({ assert }) => {
    const { port, gateway } = await serve()
    const client = await open(port)
    client.type('echo pid=$(($$+0)); exec sleep 1000\r')
    await eventually('it runs', () => /pid=\d+\r\n/.test(client.text))
    const pid = Number(/pid=(\d+)\r\n/.exec(client.text)![1])
    await gateway.drain('The platform is being updated')
    await eventually('it is closed', () => client.closeCode === CLOSE_DRAINED)
    assert.equal(client.closedReason, 'The platform is being updated')
    assert.deepInclude(closed[0], { reason: 'The platform is being updated' })
    await eventually('the program is gone', async () => !(await isRunning(pid)))
    const headers = { origin: 'https://berth.test', cookie: 'person=ann' }
    assert.equal(await TestClient.refusal(port, headers), 503)
  })

  test('leaving warns, lets people end what runs, and ends the rest with the reason', async ({
    assert,
  }) => {
    const { port, gateway } = await serve()
    const [quick, slow] = [await open(port), await open(port)]
    const left = gateway.leave('It closes soon', 'It was upgraded', 2_000)
    await eventually('both are told', () =>
      [quick, slow].every(({ messages }) => messages.some(({ type }) => type === 'warning'))
    )
    quick.type('exit\r')
    await eventually('one ends by itself', () => quick.closedReason === 'The session has ended')
    assert.isNull(slow.closeCode)
    const headers = { origin: 'https://berth.test', cookie: 'person=ann' }
    assert.equal(await TestClient.refusal(port, headers), 503)
    await left
    await eventually('the other one is closed', () => slow.closeCode === CLOSE_DRAINED)
    assert.equal(slow.closedReason, 'It was upgraded')
  })

  test('an idle terminal is warned, then closed', async ({ assert }) => {
    const { port } = await serve({ idleTimeout: 3_000, idleWarning: 2_000 })
    const client = await open(port)
    await eventually('it is closed', () => client.closeCode !== null)
    assert.equal(client.closeCode, CLOSE_IDLE)
    assert.deepEqual(
      client.messages.map(({ type }) => type),
      ['ready', 'warning', 'closed']
    )
  })

  test('a browser that answers no ping, or sends nothing, is dropped', async ({ assert }) => {
    const { port, gateway } = await serve({ pingInterval: 1_500, credentialsTimeout: 3_000 })
    const silent = await connect(port)
    await eventually('the silent one is closed', () => silent.closeCode !== null)
    assert.equal(silent.closedReason, 'No credentials came')
    const dead = await open(port)
    dead.socket.pause()
    await eventually('the dead one is dropped', () => gateway.size === 0)
    assert.equal(closed[0].reason, 'The browser does not answer')
  })

  test('a fault of the application is told without its words', async ({ assert }) => {
    const faults: unknown[] = []
    const { port } = await serve({
      redeem: async () => {
        throw new Error('password of the database: secret')
      },
      onError: (error) => faults.push(error),
    })
    const client = await connect(port)
    client.signIn('good-1')
    await eventually('it is closed', () => client.closeCode !== null)
    assert.equal(client.closedReason, 'The terminal did not open')
    assert.lengthOf(faults, 1)
    assert.notInstanceOf(faults[0], MachineError)
  })
})
